import type { BodyColumns } from '../../body-columns.ts'
import type { SqlValue } from '../../sql/session.ts'
import type { Session } from '../connect.ts'
import type { Fence } from './draft-fence.ts'
import type { NewProject } from './open-projects.ts'

export interface DraftedVersion extends BodyColumns {
  readonly id: number
  readonly project_id: number
  readonly kind: string
  readonly uid: string
  readonly from_run: number
  readonly replaces: number | null
  readonly normal_form_version: number
  readonly name: string
  readonly digest: string
  readonly body: string
  readonly facts: string
}

/** Changes and violations get their ids when they are inserted. */
export interface DraftedChange {
  id: number
  readonly run: number
  readonly project_id: number
  readonly kind: string
  readonly uid: string
  readonly name: string
  readonly change: string
  readonly fields: string
  readonly referrers: string | null
}

export interface DraftedViolation {
  id: number
  readonly fingerprint: string
  readonly project_id: number
  readonly kind: string
  readonly uid: string
  readonly rule: string
  readonly path: string
  readonly state: string
  readonly severity: string
  readonly name: string
  readonly message: string
  readonly from_run: number
  readonly first_run: number
  readonly last_run: number | null
  readonly origin_run: number | null
  readonly replaces: number | null
  readonly waiver: string | null
}

/** Rows by their table. */
export interface DraftedRows {
  readonly project?: readonly NewProject[]
  readonly version?: readonly DraftedVersion[]
  readonly change?: readonly DraftedChange[]
  readonly violation?: readonly DraftedViolation[]
}

/** The column that names the run, of each table that a run writes while it is drafted. Projects outlive their run. */
export const runColumns = {
  version: 'from_run',
  violation: 'from_run',
  change: 'run',
} as const satisfies Record<Exclude<keyof DraftedRows, 'project'>, string>

const text = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'text']))
const bigint = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'bigint']))

/** The types of the columns. */
const tables: Readonly<Record<keyof DraftedRows, Readonly<Record<string, string>>>> = {
  project: { ...bigint('id'), ...text('service', 'uid') },
  version: {
    ...bigint('id', 'project_id', 'from_run', 'replaces', 'normal_form_version'),
    ...text('kind', 'uid', 'name', 'digest', 'body', 'facts', 'endpoint_uid', 'source_uid', 'device_uid', 'owner_id'),
  },
  change: { ...bigint('id', 'run', 'project_id'), ...text('kind', 'uid', 'name', 'change', 'fields', 'referrers') },
  violation: {
    ...bigint('id', 'project_id', 'from_run', 'first_run', 'last_run', 'origin_run', 'replaces'),
    ...text('fingerprint', 'kind', 'uid', 'rule', 'path', 'state', 'severity', 'name', 'message', 'waiver'),
  },
}

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
    const columns = Object.entries(tables[table as keyof DraftedRows])
    const names = columns.map(([name]) => name).join(', ')
    const arrays = columns.map(([name, type]) => {
      return `$${values.push((ofTable as readonly Record<string, Cell>[]).map((row) => row[name] ?? null))}::${type}[]`
    })
    return `new_${table} AS (INSERT INTO hookdrift.${table} (${names}) SELECT n.* FROM held, unnest(${arrays.join(', ')}) AS n)`
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
