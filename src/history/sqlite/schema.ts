import { hash } from 'node:crypto'
import Database, { type Statement } from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { packageFile } from '../../model/package-files.ts'
import { type SchemaFault, type SchemaObject, schemaFaults } from '../schema-faults.ts'
import { type SchemaStep, stepsIn } from '../schema-steps.ts'
import { fileOf } from './open-unwritable.ts'

export const migrationsDirectory = packageFile('migrations')

/** The steps from an empty database to the newest schema, in order. */
export function readMigrations(directory: string): readonly SchemaStep[] {
  const steps = stepsIn(directory)
  for (const [index, { name, version }] of steps.entries()) {
    // A gap in the numbers would skip a step in every history.
    if (version !== index + 1) throw new Error(`migration ${name} is not number ${index + 1}`)
  }
  return steps
}

/** SQLite's own tables: statistics of ANALYZE, counters. Indexes of constraints have no statement. */
const sqliteTables = "('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4')"

/** Every table, index, view and trigger of a database, except SQLite's own, by type and name. */
export function readSchema(db: Database.Database): SchemaObject[] {
  return db
    .prepare<[], SchemaObject>(
      `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT IN ${sqliteTables} ORDER BY type, name`,
    )
    .all()
}

export function schemaDigest(schema: readonly SchemaObject[]): string {
  return hash('sha256', JSON.stringify(schema.map(({ type, name, table, sql }) => [type, name, table, sql])))
}

/** Digest of the schema that the migrations make, so that a comparison need not make it. A test keeps it current. */
export const knownSchemaDigest = '8f8804cd3df6b418bfd8dcdfa86f742c138a5bbbccfc8341d9168166497ac73e'

const made = new Map<string, readonly SchemaObject[]>()

/** The schema that the migrations of a directory make, up to `version`. Takes some milliseconds the first time. */
export function expectedSchema(directory: string, version = Number.POSITIVE_INFINITY): readonly SchemaObject[] {
  const key = `${version} ${directory}`
  const schema = made.get(key) ?? makeSchema(directory, version)
  made.set(key, schema)
  return schema
}

function makeSchema(directory: string, version: number): SchemaObject[] {
  const db = new Database(':memory:')
  try {
    for (const migration of readMigrations(directory)) if (migration.version <= version) db.exec(migration.sql)
    return readSchema(db)
  } finally {
    db.close()
  }
}

/** Of a connection: the statement that counts schema changes, that count at the last comparison, and the faults found then. */
const compared = new WeakMap<
  Database.Database,
  { readonly counting: Statement; readonly count: unknown; readonly faults: readonly SchemaFault[] }
>()

/**
 * Before reading: a view in the place of a table could hide rows. `version`: of the schema, where it is not the newest.
 * @throws AuditError.failure when a table is missing or altered
 */
export function refuseAlteredTables(db: Database.Database, directory = migrationsDirectory, version?: number): void {
  const fault = faultsOf(db, directory, version).find(({ type, fault }) => type === 'table' && fault !== 'unknown')
  if (fault !== undefined) throw refusal(`cannot open the history ${fileOf(db)}`, fault)
}

/**
 * Before writing: a trigger would run with the write, and hookdrift makes none. Called within the writing transaction,
 * so that no trigger can be added in between.
 * @throws AuditError.failure when there is a trigger, or when a part of the schema is missing or altered
 */
export function refuseAltered(db: Database.Database, directory = migrationsDirectory, version?: number): void {
  const fault = faultsOf(db, directory, version).find(({ type, fault }) => type === 'trigger' || fault !== 'unknown')
  if (fault !== undefined) throw refusal(`nothing was written to the history ${fileOf(db)}`, fault)
}

function faultsOf(db: Database.Database, directory: string, version: number | undefined): readonly SchemaFault[] {
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
    advice:
      'run `hookdrift verify`, and restore the last backup that verifies: `hookdrift docs keep-the-history#verify-it`',
  })
}
