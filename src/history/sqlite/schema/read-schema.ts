import { hash } from 'node:crypto'
import Database from 'better-sqlite3'
import type { SchemaObject } from '../../schema-faults.ts'
import { readMigrations } from '../read-migrations.ts'

/** SQLite's own tables: statistics of ANALYZE, counters. Indexes of constraints have no statement. */
const ownOfSqlite = "('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4')"

/** Every table, index, view and trigger of a database, except SQLite's own, by type and name. */
export function readSchema(db: Database.Database): SchemaObject[] {
  return db
    .prepare<[], SchemaObject>(
      `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT IN ${ownOfSqlite} ORDER BY type, name`,
    )
    .all()
}

export function schemaDigest(schema: readonly SchemaObject[]): string {
  return hash('sha256', JSON.stringify(schema.map(({ type, name, table, sql }) => [type, name, table, sql])))
}

/** Digest of the schema that the migrations make, so that a comparison need not make it. A test keeps it current. */
export const knownSchemaDigest = '547b3093c7110bfa9d1cb29297f64baa3442ed277c9a021c528577d8326d5f99'

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
