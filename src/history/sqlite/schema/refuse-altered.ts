import type { Database } from 'better-sqlite3'
import { AuditError } from '../../../model/errors.ts'
import { type SchemaFault, schemaFaults } from '../../schema-faults.ts'
import { migrationsDirectory } from '../read-migrations.ts'
import { expectedSchema, knownSchemaDigest, readSchema, schemaDigest } from './read-schema.ts'

/** SQLite's count of schema changes at the last comparison, and the faults found then. */
const compared = new WeakMap<Database, { readonly count: number; readonly faults: readonly SchemaFault[] }>()

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
  const count = Number(db.pragma('schema_version', { simple: true }))
  const before = compared.get(db)
  if (before?.count === count) return before.faults
  const schema = readSchema(db)
  const isKnown = schemaDigest(schema) === knownSchemaDigest
  const faults = isKnown ? [] : schemaFaults(expectedSchema(directory, version), schema)
  compared.set(db, { count, faults })
  return faults
}

function refusal(what: string, { text }: SchemaFault): AuditError {
  return AuditError.failure(`${what}: ${text}`, {
    advice: 'run `hookdrift verify`, and restore the last backup that verifies: `hookdrift docs verify`',
  })
}
