import type { FoundViolation, HistoryReader, VisitedViolation } from '../history/reader.ts'
import { compareText } from '../history/report-order.ts'
import { kinds } from '../model/resource.ts'
import { severities, type ViolationState, violationStates } from '../model/violation.ts'
import { type Columns, reorderColumns, startColumns, type ViolationColumns } from './violation-columns.ts'

/**
 * Violations as of a run. Rows are in the order of reports, active ones before resolved ones, of which the latest come
 * first.
 */
export interface ViolationIndex extends ViolationColumns {
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
  const values = { size: read.size, rules: rules.all, projects: projects.all, owners: owners.all, times: times.all }
  return openIndex({ ...values, ...reorderColumns(read, order) }, () => 0)
}

/** An index of columns; it holds nothing else. */
export function openIndex(columns: ViolationColumns, sortKey: ViolationIndex['sortKey']): ViolationIndex {
  const { id, run, project, projects, state } = columns
  return {
    ...columns,
    found: (row) => ({
      id: id[row] ?? 0,
      project: projects[project[row] ?? 0] ?? '',
      isResolved: state[row] === resolvedState,
      run: run[row] ?? 0,
    }),
    sortKey,
  }
}

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
