import { type HistoryTable, mostRows, type Row, type RowCell, type RowSource, type RowTarget } from '../table-rows.ts'
import type { Session, Transaction } from './session.ts'

const running = "SELECT number FROM hookdrift.run WHERE state = 'running'"

/** The rows of a history, in the state that the transaction sees: each batch follows the key of the one before it. */
export function rowsIn(session: Session): RowSource {
  return {
    async *rows(table) {
      for (let last: readonly RowCell[] | undefined; ; ) {
        const found = await session.all<Readonly<Record<string, RowCell>>>(batchSql(table, last), last ?? [])
        if (found.length === 0) return
        const columns = [...table.columns.keys()]
        yield found.map((row): Row => columns.map((name) => row[name] ?? null))
        const end = found.at(-1) ?? {}
        last = table.key.map((name) => end[name] ?? null)
      }
    },
  }
}

function batchSql({ name, columns, key, isCommitted }: HistoryTable, last: readonly RowCell[] | undefined): string {
  const marks = key.map((_, at) => `$${at + 1}`).join(', ')
  const follows = last === undefined ? '' : `AND (${key.join(', ')}) > (${marks})`
  return `SELECT ${[...columns.keys()].join(', ')} FROM hookdrift.${name}
    WHERE ${isCommitted(running)} ${follows} ORDER BY ${key.join(', ')} LIMIT ${mostRows}`
}

/** Writes rows, within the transaction. */
export function targetIn(transaction: Transaction): RowTarget {
  return { write: ({ name, columns }, rows) => transaction.insert(name, [...columns.keys()], rows) }
}
