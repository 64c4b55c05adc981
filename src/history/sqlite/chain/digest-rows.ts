import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'

export interface DigestedRows {
  readonly table: string
  /** Columns that the digest leaves out. */
  readonly without?: readonly string[]
  /** The only columns that it takes. */
  readonly only?: readonly string[]
  readonly where: string
  readonly order: string
}

/**
 * SHA-256 over some rows of a table, in hex; undefined when there are none. A column without a value counts as absent,
 * so that a column that a later schema adds leaves the digests of older rows as they are.
 */
export function digestRows(
  db: Database,
  rows: DigestedRows,
  parameters: Readonly<Record<string, number>>,
): string | undefined {
  const columns = rows.only ?? columnsOf(db, rows.table).filter((column) => !rows.without?.includes(column))
  const sql = `SELECT ${columns.join(', ')} FROM ${rows.table} WHERE ${rows.where} ORDER BY ${rows.order}`
  const digest = createHash('sha256')
  let isEmpty = true
  // The first run of a large fleet digests tens of thousands of rows while it holds the file: fewer, longer updates.
  let text = ''
  for (const row of db.prepare<[typeof parameters], unknown[]>(sql).raw().iterate(parameters)) {
    isEmpty = false
    const told: unknown[] = []
    for (const [index, column] of columns.entries()) if (row[index] !== null) told.push(column, row[index])
    text += `${JSON.stringify(told)}\n`
    if (text.length < atOnce) continue
    digest.update(text)
    text = ''
  }
  return isEmpty ? undefined : digest.update(text).digest('hex')
}

/** UTF-16 code units. */
const atOnce = 65_536

function columnsOf(db: Database, table: string): string[] {
  return db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY name').pluck().all(table)
}
