import type { FoundViolation, HistoryReader, VisitedViolation } from '../history/reader.ts'
import { compareText } from '../history/report-order.ts'
import { kinds } from '../model/resource.ts'
import { type Severity, severities, type ViolationState, violationStates } from '../model/violation.ts'

/**
 * What chooses, orders and counts violations as of a run, in columns: some thirty bytes for each. Rows are in the order of
 * reports, active ones before resolved ones, of which the latest come first.
 */
export interface ViolationIndex {
  readonly size: number
  readonly rules: readonly string[]
  readonly projects: readonly string[]
  /** With owners: the first one is the empty text, of those without one. */
  readonly owners: readonly string[]
  /** When violations were first seen, ISO 8601. */
  readonly times: readonly string[]
  /** Indexes into `rules`, `projects`, `owners`, `times`, and into the words of the model. */
  readonly rule: Uint32Array
  readonly project: Uint32Array
  readonly owner: Uint32Array
  readonly time: Uint32Array
  readonly severity: Uint8Array
  readonly state: Uint8Array
  readonly kind: Uint8Array
  /** Whether a waiver covers it: then no due date does. */
  readonly waived: Uint8Array
  /** Equal for the violations of one resource. */
  readonly resource: Uint32Array
  found(row: number): FoundViolation
  /** What orders the rows before the order of reports does, in milliseconds since the epoch; 0 where nothing does. */
  sortKey(row: number): number
}

export interface IndexChoice {
  readonly run: number
  readonly withResolved: boolean
  readonly withOwner: boolean
}

/** Reads the columns. Sorting needs no text, because violations of a project come in order. */
export async function indexViolations(reader: HistoryReader, choice: IndexChoice): Promise<ViolationIndex> {
  const { run, withResolved, withOwner } = choice
  const [rules, projects, owners, times] = [names(), names(), names(), names()]
  owners.of('')
  const columns = startColumns()
  const lastOf = new Map<number, { kind: string; uid: string; resource: number }>()
  let resources = 0
  const visit = (violation: VisitedViolation) => {
    const project = projects.of(violation.project)
    const last = lastOf.get(project)
    const isSame = last?.kind === violation.kind && last.uid === violation.uid
    const resource = isSame ? last.resource : resources++
    if (!isSame) lastOf.set(project, { kind: violation.kind, uid: violation.uid, resource })
    columns.add({
      ...{ id: violation.id, run: violation.run, project, resource },
      ...{
        rule: rules.of(violation.rule),
        owner: owners.of(violation.owner ?? ''),
        time: times.of(violation.firstSeen),
      },
      ...{ severity: severities.indexOf(violation.severity), state: violationStates.indexOf(violation.state) },
      ...{ kind: kinds.indexOf(violation.kind), waived: violation.waiver === undefined ? 0 : 1 },
    })
  }
  const asked = { run, withActive: true, resolvedAfter: withResolved ? 0 : undefined, withOwner, withText: false }
  await reader.visitViolations(asked, visit)
  const read = columns.conclude()
  const order = orderOf(read, projects.all)
  const pick = <Column extends Uint8Array | Uint32Array | Float64Array>(column: Column): Column =>
    column.map((_, at) => column[order[at] ?? 0] ?? 0) as Column
  const [id, runs] = [pick(read.id), pick(read.run)]
  const [project, state] = [pick(read.project), pick(read.state)]
  return {
    size: read.size,
    ...{ rules: rules.all, projects: projects.all, owners: owners.all, times: times.all, project, state },
    ...{ rule: pick(read.rule), owner: pick(read.owner), time: pick(read.time), severity: pick(read.severity) },
    ...{ kind: pick(read.kind), waived: pick(read.waived), resource: pick(read.resource) },
    found: (row) => ({
      id: id[row] ?? 0,
      project: projects.all[project[row] ?? 0] ?? '',
      isResolved: state[row] === resolvedState,
      run: runs[row] ?? 0,
    }),
    sortKey: () => 0,
  }
}

export const severityAt = (index: ViolationIndex, row: number): Severity =>
  severities[index.severity[row] ?? 0] ?? 'info'
export const stateAt = (index: ViolationIndex, row: number): ViolationState =>
  violationStates[index.state[row] ?? 0] ?? 'unknown'

const resolvedState = violationStates.indexOf('resolved')
const openedState = violationStates.indexOf('opened')

/** Each text once, in the order in which they came. */
function names() {
  const all: string[] = []
  const known = new Map<string, number>()
  return {
    all,
    of(text: string): number {
      const found = known.get(text)
      if (found !== undefined) return found
      const at = all.push(text) - 1
      known.set(text, at)
      return at
    },
  }
}

const widths = {
  ...{ id: Float64Array, run: Uint32Array, project: Uint32Array, resource: Uint32Array, rule: Uint32Array },
  ...{ owner: Uint32Array, time: Uint32Array, severity: Uint8Array, state: Uint8Array, kind: Uint8Array },
  waived: Uint8Array,
} as const
type Name = keyof typeof widths
type Columns = { readonly [Column in Name]: InstanceType<(typeof widths)[Column]> }

const columnNames = Object.keys(widths) as Name[] // keys are what the type says

/** Columns that grow by half when they are full. */
function startColumns() {
  let room = 1024
  let size = 0
  const make = (length: number): Columns =>
    // The entries are those of `widths`.
    Object.fromEntries(columnNames.map((name) => [name, new widths[name](length)])) as unknown as Columns
  let columns = make(room)
  const move = (length: number, count: number) => {
    const moved = make(length)
    for (const name of columnNames) moved[name].set(columns[name].subarray(0, count))
    return moved
  }
  return {
    add(row: Readonly<Record<Name, number>>): void {
      if (size === room) {
        room = Math.ceil(room * 1.5)
        columns = move(room, size)
      }
      for (const name of columnNames) columns[name][size] = row[name]
      size++
    },
    conclude: () => ({ ...move(size, size), size }),
  }
}

/** The rows in the order of reports: by what has few values, where equal rows stay in order. */
function orderOf(columns: Columns & { readonly size: number }, projects: readonly string[]): Uint32Array {
  const byName = projects.map((name, at) => ({ name, at })).sort((a, b) => compareText(a.name, b.name))
  const rank = new Uint32Array(projects.length)
  byName.forEach(({ at }, place) => {
    rank[at] = place
  })
  const count = projects.length
  const latest = columns.run.reduce((most, run) => Math.max(most, run), 0)
  return sortRows(columns.size, (row) => {
    const { state, severity, project, run } = columns
    const isResolved = state[row] === resolvedState
    const turn = isResolved ? 1 + latest - (run[row] ?? 0) : 0
    const isKnown = state[row] === openedState ? 0 : 1
    return ((turn * severities.length + (severity[row] ?? 0)) * 2 + isKnown) * count + (rank[project[row] ?? 0] ?? 0)
  })
}

/** Rows by a number of few values. Equal ones stay in order. */
export function sortRows(size: number, keyOf: (row: number) => number): Uint32Array {
  const counts = new Map<number, number>()
  for (let row = 0; row < size; row++) {
    const key = keyOf(row)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  let start = 0
  for (const [key, count] of [...counts].sort(([a], [b]) => a - b)) {
    counts.set(key, start)
    start += count
  }
  const order = new Uint32Array(size)
  for (let row = 0; row < size; row++) {
    const key = keyOf(row)
    const at = counts.get(key) ?? 0
    order[at] = row
    counts.set(key, at + 1)
  }
  return order
}
