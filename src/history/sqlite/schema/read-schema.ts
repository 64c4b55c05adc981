import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'

export interface SchemaObject {
  readonly type: 'table' | 'index' | 'view' | 'trigger'
  readonly name: string
  /** The table or view that it belongs to. */
  readonly table: string
  /** The statement that made it. */
  readonly sql: string
}

/** SQLite's own tables: statistics of ANALYZE, counters. Indexes of constraints have no statement. */
const ownOfSqlite = "('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4')"

/** Every table, index, view and trigger of a database, except SQLite's own, by type and name. */
export function readSchema(db: Database): SchemaObject[] {
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
