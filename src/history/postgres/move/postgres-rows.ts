import {
  type Cell,
  type CellType,
  type HistoryTable,
  inBatches,
  type Row,
  type RowSource,
  type RowTarget,
} from '../../table-rows.ts'
import type { Session, Transaction } from '../connect.ts'
import { referredUids } from '../referred-uids.ts'

const running = "SELECT number FROM hookdrift.run WHERE state = 'running'"

/** The rows of a history, in the state that the transaction sees. */
export function postgresRows(transaction: Transaction): RowSource {
  return {
    rows({ name, columns, key, isCommitted }) {
      const names = [...columns.keys()]
      const sql = `SELECT ${names.join(', ')} FROM hookdrift.${name} WHERE ${isCommitted(running)} ORDER BY ${key.join(', ')}`
      return inBatches(inOrder(names, transaction.iterate<Readonly<Record<string, Cell>>>(sql)))
    },
  }
}

async function* inOrder(names: readonly string[], rows: AsyncIterable<Readonly<Record<string, Cell>>>) {
  for await (const row of rows) yield names.map((name) => row[name] ?? null)
}

const arrays = { text: 'text[]', integer: 'bigint[]', bytes: 'bytea[]' } as const satisfies Record<CellType, string>

/** Writes rows, within a transaction of the caller: one statement for each batch. */
export function postgresTarget(session: Session): RowTarget {
  return {
    async write(table, rows) {
      const columns = [
        ...[...table.columns].map(([name, type], at) => columnOf(name, type, rows, at)),
        ...derived(table, rows),
      ]
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
  readonly cells: readonly Cell[]
}

function columnOf(name: string, type: CellType, rows: readonly Row[], at: number): Column {
  return { name, type, cells: rows.map((row) => row[at] ?? null) }
}

/** Columns of this backend only, for its indexes. */
function derived({ name, columns }: HistoryTable, rows: readonly Row[]): Column[] {
  if (name !== 'version') return []
  const names = [...columns.keys()]
  const [kind, body] = [names.indexOf('kind'), names.indexOf('body')]
  const uids = rows.map((row) => referredUids(String(row[kind]), String(row[body])))
  return [
    { name: 'endpoint_uid', type: 'text', cells: uids.map(({ endpointUid }) => endpointUid) },
    { name: 'source_uid', type: 'text', cells: uids.map(({ sourceUid }) => sourceUid) },
    { name: 'device_uid', type: 'text', cells: uids.map(({ deviceUid }) => deviceUid) },
  ]
}
