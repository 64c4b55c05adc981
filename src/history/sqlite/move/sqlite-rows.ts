import type { Database, Statement } from 'better-sqlite3'
import { type HistoryTable, inBatches, type RowCell, type RowSource, type RowTarget } from '../../table-rows.ts'

const running = "SELECT number FROM run WHERE state = 'running'"

/** The rows of a history, within a transaction of the caller. */
export function sqliteRows(db: Database): RowSource {
  return {
    rows({ name, columns, key, isCommitted }) {
      const sql = `SELECT ${[...columns.keys()].join(', ')} FROM ${name} WHERE ${isCommitted(running)} ORDER BY ${key.join(', ')}`
      return inBatches(db.prepare<[], RowCell[]>(sql).raw().iterate())
    },
  }
}

/** Writes rows, within a transaction of the caller. */
export function sqliteTarget(db: Database): RowTarget {
  const statements = new Map<string, Statement<RowCell[]>>()
  const prepare = ({ name, columns }: HistoryTable) => {
    const values = Array.from(columns, () => '?').join(', ')
    return db.prepare<RowCell[]>(`INSERT INTO ${name} (${[...columns.keys()].join(', ')}) VALUES (${values})`)
  }
  return {
    async write(table, rows) {
      const insert = statements.get(table.name) ?? prepare(table)
      statements.set(table.name, insert)
      for (const row of rows) insert.run(...row)
    },
  }
}
