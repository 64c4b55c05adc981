import { type DraftedRows, draftedColumns, runColumns } from '../draft/drafted-rows.ts'
import type { Fence } from '../sql/backend.ts'
import type { Session, SqlValue } from '../sql/session.ts'
import { columnType } from '../table-rows.ts'

const arrays = { text: 'text[]', integer: 'bigint[]' } as const

type Cell = string | number | null

/**
 * Inserts rows in one statement, which checks the fence: all of them or none. Returns whether the fence held. They need
 * not survive a crash of the server before the commit of the run does.
 */
export async function insertRows(session: Session, fence: Fence, rows: DraftedRows): Promise<boolean> {
  const values: SqlValue[] = []
  const inserts = Object.entries(rows).flatMap(([table, ofTable]: [string, readonly object[]]) => {
    if (ofTable.length === 0) return []
    // The keys of DraftedRows are the tables, and their rows hold the columns.
    const columns = draftedColumns[table as keyof DraftedRows]
    const lists = columns.map((name) => {
      const cells = (ofTable as readonly Record<string, Cell>[]).map((row) => row[name] ?? null)
      return `$${values.push(cells)}::${arrays[columnType(table, name)]}`
    })
    return `new_${table} AS (INSERT INTO hookdrift.${table} (${columns.join(', ')}) SELECT n.* FROM held, unnest(${lists.join(', ')}) AS n)`
  })
  const held = `held AS (SELECT set_config('synchronous_commit', 'off', true) FROM (${fence.sql(values.length + 1)} FOR SHARE) f)`
  const sql = `WITH ${[held, ...inserts].join(', ')} SELECT count(*) FROM held`
  return (await session.value<number>(sql, [...values, ...fence.values])) === 1
}

/** Deletes what a run wrote of a project, in one statement, which checks the fence. Returns whether it held. */
export async function deleteRows(session: Session, fence: Fence, run: number, project: number): Promise<boolean> {
  const deletes = Object.entries(runColumns).map(
    ([table, column]) =>
      `old_${table} AS (DELETE FROM hookdrift.${table} t USING held WHERE t.${column} = $1 AND t.project_id = $2)`,
  )
  const sql = `WITH held AS (${fence.sql(3)} FOR SHARE), ${deletes.join(', ')} SELECT count(*) FROM held`
  return (await session.value<number>(sql, [run, project, ...fence.values])) === 1
}
