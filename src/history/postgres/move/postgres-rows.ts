import { type CellType, inBatches, type Row, type RowCell, type RowSource, type RowTarget } from '../../table-rows.ts'
import type { Session, Transaction } from '../connect.ts'

const running = "SELECT number FROM hookdrift.run WHERE state = 'running'"

/** The rows of a history, in the state that the transaction sees. */
export function postgresRows(transaction: Transaction): RowSource {
  return {
    rows({ name, columns, key, isCommitted }) {
      const names = [...columns.keys()]
      const sql = `SELECT ${names.join(', ')} FROM hookdrift.${name} WHERE ${isCommitted(running)} ORDER BY ${key.join(', ')}`
      return inBatches(inOrder(names, transaction.iterate<Readonly<Record<string, RowCell>>>(sql)))
    },
  }
}

async function* inOrder(names: readonly string[], rows: AsyncIterable<Readonly<Record<string, RowCell>>>) {
  for await (const row of rows) yield names.map((name) => row[name] ?? null)
}

const arrays = { text: 'text[]', integer: 'bigint[]' } as const satisfies Record<CellType, string>

/** Writes rows, within a transaction of the caller: one statement for each batch. */
export function postgresTarget(session: Session): RowTarget {
  return {
    async write(table, rows) {
      const columns = [...table.columns].map(([name, type], at) => columnOf(name, type, rows, at))
      const names = columns.map(({ name }) => name).join(', ')
      const values = columns.map(({ type }, at) => `$${at + 1}::${arrays[type]}`).join(', ')
      await session.run(
        `INSERT INTO hookdrift.${table.name} (${names}) SELECT * FROM unnest(${values})`,
        columns.map(({ cells }) => cells),
      )
    },
  }
}

interface Column {
  readonly name: string
  readonly type: CellType
  readonly cells: readonly RowCell[]
}

function columnOf(name: string, type: CellType, rows: readonly Row[], at: number): Column {
  return { name, type, cells: rows.map((row) => row[at] ?? null) }
}
