import type { Database, Statement } from 'better-sqlite3'

const known = new WeakMap<Database, Map<string, Statement>>()

/** A statement, prepared once for each connection: readers run small queries often. */
export function cachedStatement<Parameters extends unknown[] | object, Row>(db: Database, sql: string) {
  const statements = known.get(db) ?? new Map<string, Statement>()
  known.set(db, statements)
  const statement = statements.get(sql) ?? db.prepare(sql)
  statements.set(sql, statement)
  // The types of parameters and rows follow from the statement's text.
  return statement as unknown as ReturnType<typeof db.prepare<Parameters, Row>>
}
