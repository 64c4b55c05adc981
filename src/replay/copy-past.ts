import { normaliserVersion } from '../gateway/fields.ts'
import type { HistoryReader } from '../history/reader.ts'
import { rowsIn, targetIn } from '../history/sql/copied-rows.ts'
import type { HistoryDatabase, Session } from '../history/sql/session.ts'
import { historyTables, type RowCell } from '../history/table-rows.ts'

/** What a run reads of the runs before it, but for violations and what people decided; and by which run a row is. */
const tables = {
  run: 'number',
  project: '0',
  version: 'from_run',
  unreferenced: 'from_run',
  change: 'run',
  scan: 'run',
  walk: 'run',
  first_complete_walk: 'run',
}

/** Copies what the runs before one left, in the state of that time, with the ids of rows. */
export function copyBefore(history: HistoryReader, first: number, memory: HistoryDatabase): Promise<void> {
  return history.snapshot(async (session) => {
    const form = await session.value<number>(
      "SELECT normal_form_version FROM hookdrift.run WHERE number < $1 AND state = 'committed' ORDER BY number DESC LIMIT 1",
      [first],
    )
    const asThen: Change = (column, cell) => {
      if (column.endsWith('_document') || (column === 'to_run' && Number(cell) >= first)) return null
      // What the run compares with is in its own normal form, or in another one.
      return column === 'normal_form_version' ? (cell === form ? normaliserVersion : 0) : cell
    }
    for (const [table, writtenBy] of Object.entries(tables))
      await copyRows(session, memory, table, `${writtenBy} < ${first}`, asThen)
  })
}

/** Copies the baselines that people approved, and revoked, after one time and by another (ISO 8601). */
export function copyApprovals(
  history: HistoryReader,
  memory: HistoryDatabase,
  { after, until }: { readonly after: string; readonly until: string },
): Promise<void> {
  const isOfTime = (column: string) => `${column} > '${after}' AND ${column} <= '${until}'`
  return history.snapshot(async (session) => {
    const approved = `SELECT id FROM hookdrift.approval WHERE ${isOfTime('approved_at')}`
    await copyRows(session, memory, 'approval', `id IN (${approved})`, (column, cell) =>
      column.startsWith('revoked') ? null : cell,
    )
    await copyRows(session, memory, 'approved_resource', `approval_id IN (${approved})`)
    const revoked = await session.all<{ readonly id: number; readonly at: string; readonly by: string }>(
      `SELECT id, revoked_at AS "at", revoked_by AS "by" FROM hookdrift.approval WHERE ${isOfTime('revoked_at')}`,
    )
    for (const { id, at, by } of revoked)
      await memory.run('UPDATE hookdrift.approval SET revoked_at = $2, revoked_by = $3 WHERE id = $1', [id, at, by])
  })
}

type Change = (column: string, cell: RowCell) => RowCell

async function copyRows(
  session: Session,
  memory: HistoryDatabase,
  name: string,
  where: string,
  change: Change = (_, cell) => cell,
): Promise<void> {
  const table = historyTables.find((one) => one.name === name)
  if (table === undefined) throw new Error(`there is no table ${name}`)
  const columns = [...table.columns.keys()]
  for await (const rows of rowsIn(session).rows({ ...table, isCommitted: () => where })) {
    const changed = rows.map((row) => row.map((cell, at) => change(columns[at] ?? '', cell)))
    await memory.transaction((transaction) => targetIn(transaction).write(table, changed))
  }
}
