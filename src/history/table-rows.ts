import { bodyColumns } from './body-columns.ts'

// The rows of a history, the same in every backend: how they are copied from one to another.

/** What a column contains: text, or a whole number. */
export type CellType = 'text' | 'integer'
export type RowCell = string | number | null
/** The cells of a row, in the order of the table's columns. */
export type Row = readonly RowCell[]

export interface HistoryTable {
  readonly name: string
  readonly columns: ReadonlyMap<string, CellType>
  /** Columns that identify a row. */
  readonly key: readonly string[]
  /** SQL, the same in every backend: which rows are no draft of a run. `runs` selects the runs that have not ended. */
  isCommitted(runs: string): string
  /** Columns that are not copied: which process delivers on a channel is not true of another target. */
  readonly localColumns: readonly string[]
}

export interface RowSource {
  /** All rows of a table but drafts, in the order of its key, some hundreds at a time. */
  rows(table: HistoryTable): AsyncIterable<readonly Row[]>
}

export interface RowTarget {
  write(table: HistoryTable, rows: readonly Row[]): Promise<void>
}

const of =
  (type: CellType) =>
  (...names: readonly string[]): [string, CellType][] =>
    names.map((name) => [name, type])
const [texts, integers] = [of('text'), of('integer')]

interface TableFacts {
  readonly key: readonly string[]
  readonly columns: readonly [string, CellType][]
  readonly isCommitted?: (runs: string) => string
  readonly localColumns?: readonly string[]
}

function table(
  name: string,
  { key, columns, isCommitted = () => 'true', localColumns = [] }: TableFacts,
): HistoryTable {
  return { name, key, columns: new Map(columns), isCommitted, localColumns }
}

const writtenBy = (column: string) => (runs: string) => `${column} NOT IN (${runs})`

/** Of versions, violations and spans without a reference. */
const resource = integers('project_id').concat(texts('kind', 'uid'))
const span = integers('from_run', 'to_run')
const revocation = texts('revoked_at', 'revoked_by', 'revoked_as').concat(integers('revoked_in'))

/** Every table whose rows a copy takes along, each after those that it refers to. */
export const historyTables: readonly HistoryTable[] = [
  table('document', { key: ['id'], columns: [...integers('id'), ...texts('sha256', 'body')] }),
  table('run', {
    key: ['number'],
    columns: [
      ...integers('number', 'exit_code', 'normal_form_version', 'version_floor', 'violation_floor'),
      ...texts('state', 'started_at', 'finished_at', 'fail_on', 'tool_version', 'policy_digest'),
      ...texts('configuration_digest', 'seal_key_id', 'rules_document', 'previous'),
      ...texts('part_digests', 'chain'),
    ],
    isCommitted: () => "state <> 'running'",
  }),
  table('project', { key: ['id'], columns: [...integers('id'), ...texts('service', 'uid')] }),
  table('version', {
    key: ['id'],
    columns: [
      ...[...integers('id', 'replaces', 'normal_form_version'), ...resource, ...span],
      ...texts('name', 'digest', 'body', 'facts', ...bodyColumns),
    ],
    isCommitted: writtenBy('from_run'),
  }),
  table('unreferenced', {
    key: ['project_id', 'kind', 'uid', 'from_run'],
    columns: [...resource, ...span],
    isCommitted: writtenBy('from_run'),
  }),
  table('change', {
    key: ['id'],
    columns: [
      ...integers('id', 'run'),
      ...resource,
      ...texts('name', 'change', 'fields', 'referrers', 'after_at', 'before_at', 'owner'),
    ],
    isCommitted: writtenBy('run'),
  }),
  table('violation', {
    key: ['id'],
    columns: [
      ...[...integers('id', 'first_run', 'last_run', 'replaces', 'origin_run'), ...resource, ...span],
      ...texts(
        'fingerprint',
        'rule',
        'path',
        'state',
        'severity',
        'name',
        'message',
        'waiver',
        'resolution',
        'ended_by',
      ),
    ],
    isCommitted: writtenBy('from_run'),
  }),
  table('acceptance', {
    key: ['id'],
    columns: [
      ...[...integers('id', 'accepted_in', 'ended_in'), ...resource, ...revocation],
      ...texts('project', 'fingerprint', 'rule', 'path', 'reason', 'value_digest', 'ended_at', 'ended_by'),
      ...texts('accepted_at', 'accepted_by', 'accepted_as'),
    ],
  }),
  table('recorded_note', {
    key: ['id'],
    columns: [
      ...integers('id', 'noted_in'),
      ...texts('at', 'text', 'ref', 'projects', 'noted_at', 'noted_by', 'noted_as'),
    ],
  }),
  table('approval', {
    key: ['id'],
    columns: [
      ...[...integers('id', 'project_id', 'run', 'approved_in', 'confirms'), ...revocation],
      ...texts('project', 'scopes', 'note', 'approved_at', 'approved_by', 'approved_as', 'amendments', 'approves'),
    ],
  }),
  table('approved_resource', {
    key: ['approval_id', 'kind', 'uid'],
    columns: [...integers('approval_id'), ...texts('kind', 'uid', 'name', 'body', 'seal_key_id')],
  }),
  table('evaluation', { key: ['id'], columns: [...integers('id', 'project_id'), ...texts('sha256', 'body')] }),
  table('scan', {
    key: ['run', 'project_id'],
    columns: [...integers('run', 'project_id', 'evaluation'), ...texts('name')],
    isCommitted: writtenBy('run'),
  }),
  table('walk', {
    key: ['run', 'project_id', 'listing'],
    columns: [
      ...integers('run', 'project_id', 'pages', 'items', 'requests', 'retries', 'duration_ms', 'total', 'since_run'),
      ...texts('listing', 'status', 'cause', 'reason', 'filter', 'shape', 'oldest_at', 'since_at'),
    ],
    isCommitted: writtenBy('run'),
  }),
  table('first_complete_walk', {
    key: ['project_id', 'listing'],
    columns: [...integers('project_id', 'run'), ...texts('listing')],
  }),
  table('reading', { key: ['project_id', 'name'], columns: [...integers('project_id'), ...texts('name', 'body')] }),
  table('notice', {
    key: ['run', 'number'],
    columns: [...integers('run', 'number', 'project_id'), ...texts('code', 'listing', 'text')],
    isCommitted: writtenBy('run'),
  }),
  table('withheld_removal', {
    key: ['project_id', 'listing', 'run'],
    columns: [...integers('project_id', 'run'), ...texts('listing', 'uids')],
    isCommitted: writtenBy('run'),
  }),
  table('checkpoint', {
    key: ['id'],
    columns: [...integers('id', 'run'), ...texts('made_at', 'tool_version', 'options', 'runs', 'state_digest')],
  }),
  table('channel', {
    key: ['name'],
    columns: [...texts('name', 'gone_at', 'gone_target'), ...integers('written', 'dropped', 'token')],
    localColumns: ['host', 'boot_id', 'pid', 'taken_at', 'heartbeat_at'],
  }),
  table('notification', {
    key: ['channel', 'number'],
    columns: [
      ...integers('number', 'run', 'attempts'),
      ...texts('id', 'channel', 'created_at', 'body', 'state', 'next_try_at', 'error', 'ended_at'),
    ],
  }),
  table('incident', {
    key: ['channel', 'key'],
    columns: texts('channel', 'key', 'subjects', 'target', 'reference', 'changed_at'),
  }),
  table('unnotified_scan', { key: ['project_id', 'run'], columns: integers('project_id', 'run') }),
]

/** @throws Error for a column that no table of the history has */
export function columnType(table: string, column: string): CellType {
  const type = historyTables.find(({ name }) => name === table)?.columns.get(column)
  if (type === undefined) throw new Error(`no table of the history has the column ${table}.${column}`)
  return type
}

/** Copies all rows with their ids. Returns how many. */
export async function copyRows(source: RowSource, target: RowTarget): Promise<number> {
  let count = 0
  for (const table of historyTables) {
    for await (const rows of source.rows(table)) {
      await target.write(table, rows)
      count += rows.length
    }
  }
  return count
}

/** Whether two histories have the same rows with the same ids. */
export async function sameRows(one: RowSource, other: RowSource): Promise<boolean> {
  for (const table of historyTables) {
    const rest = other.rows(table)[Symbol.asyncIterator]()
    for await (const rows of one.rows(table)) {
      const { value } = await rest.next()
      if (JSON.stringify(rows) !== JSON.stringify(value)) return false
    }
    if ((await rest.next()).done !== true) return false
  }
  return true
}

/** Of one batch. */
export const mostRows = 500
/** Of one batch: a few bodies may be large. UTF-16 code units. */
const mostCharacters = 1_000_000

/** Rows in batches that fit into a statement and into memory. */
export async function* inBatches(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let characters = 0
  for await (const row of rows) {
    batch.push(row)
    for (const cell of row) if (typeof cell === 'string') characters += cell.length
    if (batch.length < mostRows && characters < mostCharacters) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}
