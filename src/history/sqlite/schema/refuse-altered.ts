import type { Database, Statement } from 'better-sqlite3'
import { AuditError } from '../../../model/errors.ts'
import { type SchemaFault, schemaFaults } from '../../schema-faults.ts'
import { migrationsDirectory } from '../read-migrations.ts'
import { expectedSchema, knownSchemaDigest, readSchema, schemaDigest } from './read-schema.ts'

/** Of a connection: the statement that counts schema changes, that count at the last comparison, and the faults found then. */
const compared = new WeakMap<
  Database,
  { readonly counting: Statement; readonly count: unknown; readonly faults: readonly SchemaFault[] }
>()

/**
 * Before reading: a view in the place of a table could hide rows. `version`: of the schema, where it is not the newest.
 * @throws AuditError.failure when a table is missing or altered
 */
export function refuseAlteredTables(db: Database, directory = migrationsDirectory, version?: number): void {
  const fault = faultsOf(db, directory, version).find(({ type, fault }) => type === 'table' && fault !== 'unknown')
  if (fault !== undefined) throw refusal(`cannot open the history ${db.name}`, fault)
}

/**
 * Before writing: a trigger would run with the write, and hookdrift makes none. Called within the writing transaction,
 * so that no trigger can be added in between.
 * @throws AuditError.failure when there is a trigger, or when a part of the schema is missing or altered
 */
export function refuseAltered(db: Database, directory = migrationsDirectory, version?: number): void {
  const fault = faultsOf(db, directory, version).find(({ type, fault }) => type === 'trigger' || fault !== 'unknown')
  if (fault !== undefined) throw refusal(`nothing was written to the history ${db.name}`, fault)
}

function faultsOf(db: Database, directory: string, version: number | undefined): readonly SchemaFault[] {
  const before = compared.get(db)
  // Asked in every transaction, so prepared once.
  const counting = before?.counting ?? db.prepare('PRAGMA schema_version').pluck()
  const count = counting.get()
  if (before !== undefined && before.count === count) return before.faults
  const schema = readSchema(db)
  const isKnown = schemaDigest(schema) === knownSchemaDigest
  const faults = isKnown ? [] : schemaFaults(expectedSchema(directory, version), schema)
  compared.set(db, { counting, count, faults })
  return faults
}

function refusal(what: string, { text }: SchemaFault): AuditError {
  return AuditError.failure(`${what}: ${text}`, {
    advice: 'run `hookdrift verify`, and restore the last backup that verifies: `hookdrift docs verify`',
  })
}
