import { matchesProject } from '../config/choose-projects.ts'
import type { HistoryReader } from '../history/reader.ts'
import { matchesGlob } from '../model/glob.ts'
import { type Kind, kinds } from '../model/resource.ts'
import { isAtLeast, type Severity, severities, type ViolationState, violationStates } from '../model/violation.ts'
import type { Grouping } from '../report/group-by.ts'
import { type DueOf, dueTimes } from './due-times.ts'
import type { ViolationIndex } from './violation-index.ts'

/** Which violations of an index are asked for; what is undefined or empty chooses nothing out. */
export interface ViolationFilter {
  readonly states: ReadonlySet<ViolationState>
  /** A pattern with `*`. */
  readonly rule?: string | undefined
  /** This severity or above. */
  readonly severity?: Severity | undefined
  readonly projects?: readonly string[]
  readonly kind?: Kind | undefined
  /** Patterns with `*`. */
  readonly owners?: readonly string[]
  /** First seen before this time, in milliseconds since the epoch. */
  readonly before?: number | undefined
  /** Active ones first seen at this time or later, ISO 8601, and those that runs after a number resolved. */
  readonly since?: { readonly time: string; readonly after: number } | undefined
  /** Due before this time, in milliseconds since the epoch. */
  readonly overdueAt?: number | undefined
  /** For each row, whether its texts match: 1 or 0. */
  readonly matching?: Uint8Array | undefined
}

export type RowTest = (row: number) => boolean

/** Decides about rows by tables of what they have in common, so that a million take some milliseconds. */
export function testRows(index: ViolationIndex, filter: ViolationFilter, dueOf: DueOf): RowTest {
  const { states, rule, severity, projects = [], kind, owners = [], before, since, overdueAt, matching } = filter
  const tests: RowTest[] = []
  // What all values pass is not asked of each row.
  const addTest = <Value>(
    values: readonly Value[],
    column: Uint8Array | Uint32Array,
    test: (value: Value) => boolean,
  ) => {
    const table = Uint8Array.from(values, (value) => (test(value) ? 1 : 0))
    if (table.includes(0)) tests.push((row) => table[column[row] ?? 0] === 1)
  }
  addTest(violationStates, index.state, (state) => states.has(state))
  addTest(severities, index.severity, (one) => severity === undefined || isAtLeast(one, severity))
  addTest(index.rules, index.rule, (id) => rule === undefined || matchesGlob(id, rule))
  addTest(index.projects, index.project, (name) => matchesProject(name, projects))
  addTest(kinds, index.kind, (one) => kind === undefined || one === kind)
  addTest(index.owners, index.owner, (name) => owners.length === 0 || owners.some((one) => matchesGlob(name, one)))
  addTest(index.times, index.time, (time) => before === undefined || Date.parse(time) < before)
  if (since !== undefined) {
    tests.push((row) => {
      const { isResolved, run } = index.found(row)
      return isResolved ? run > since.after : (index.times[index.time[row] ?? 0] ?? '') >= since.time
    })
  }
  if (overdueAt !== undefined) tests.push(testOverdue(index, overdueAt, dueOf))
  if (matching !== undefined) tests.push((row) => matching[row] === 1)
  const [only = () => true, ...more] = tests
  return more.length === 0 ? only : (row) => tests.every((test) => test(row))
}

/** Whether the due date of a row has passed, as `dueTime` says. */
export function testOverdue(index: ViolationIndex, at: number, dueOf: DueOf): RowTest {
  const dueAt = dueTimes(index, dueOf)
  return (row) => at > dueAt(row)
}

export interface ViolationCounts {
  readonly total: number
  readonly severities: Readonly<Record<Severity, number>>
  readonly states: Readonly<Record<ViolationState, number>>
}

export interface RowPage {
  /** Rows of the index. */
  readonly rows: readonly number[]
  /** Of all that are asked for. */
  readonly counts: ViolationCounts
  /** How many of them come before and after the page. */
  readonly before: number
  readonly after: number
}

/**
 * A page of the rows that pass a test: the first `most` from `from` on, or the last ones before `until`, which are rows of
 * the index.
 */
export function pageRows(
  index: ViolationIndex,
  test: RowTest,
  { from = 0, until, most }: { readonly from?: number; readonly until?: number | undefined; readonly most: number },
): RowPage {
  const bySeverity = new Uint32Array(severities.length)
  const byState = new Uint32Array(violationStates.length)
  const rows: number[] = []
  const isWithin = (row: number) => (until === undefined ? row >= from && rows.length < most : row < until)
  let total = 0
  let before = 0
  for (let row = 0; row < index.size; row++) {
    if (!test(row)) continue
    total++
    bySeverity[index.severity[row] ?? 0] = (bySeverity[index.severity[row] ?? 0] ?? 0) + 1
    byState[index.state[row] ?? 0] = (byState[index.state[row] ?? 0] ?? 0) + 1
    if (isWithin(row)) {
      rows.push(row)
      if (rows.length > most) {
        rows.shift()
        before++
      }
    } else if (until === undefined && row < from) before++
  }
  return {
    ...{ rows, before, after: total - before - rows.length },
    counts: {
      total,
      severities: countsOf(severities, bySeverity),
      states: countsOf(violationStates, byState),
    },
  }
}

function countsOf<Name extends string>(names: readonly Name[], counts: Uint32Array): Record<Name, number> {
  // fromEntries forgets that the keys are all names.
  return Object.fromEntries(names.map((name, at) => [name, counts[at] ?? 0])) as Record<Name, number>
}

export interface RowGroup {
  /** The first of its rows. */
  readonly row: number
  readonly total: number
  readonly severities: Readonly<Record<Severity, number>>
}

/** Groups of the rows that pass a test: the one with the worst violation first, then the largest. */
export function groupRows(index: ViolationIndex, test: RowTest, by: Grouping): readonly RowGroup[] {
  const key = index[by]
  const groups = new Map<number, { row: number; counts: Uint32Array }>()
  for (let row = 0; row < index.size; row++) {
    if (!test(row)) continue
    const group = groups.get(key[row] ?? 0) ?? { row, counts: new Uint32Array(severities.length) }
    const severity = index.severity[row] ?? 0
    group.counts[severity] = (group.counts[severity] ?? 0) + 1
    groups.set(key[row] ?? 0, group)
  }
  const worst = ({ counts }: { counts: Uint32Array }) => counts.findIndex((count) => count > 0)
  const total = ({ counts }: { counts: Uint32Array }) => counts.reduce((sum, count) => sum + count, 0)
  return [...groups.values()]
    .map((group) => ({ ...group, worst: worst(group), total: total(group) }))
    .sort((a, b) => a.worst - b.worst || b.total - a.total || a.row - b.row)
    .map(({ row, counts, total }) => ({ row, total, severities: countsOf(severities, counts) }))
}

/** For each row of the index, whether one of its texts contains the words: regardless of case. */
export async function matchTexts(
  reader: HistoryReader,
  index: ViolationIndex,
  { run, withResolved, text }: { readonly run: number; readonly withResolved: boolean; readonly text: string },
): Promise<Uint8Array> {
  const wanted = text.toLowerCase()
  const ids = new Set<string>()
  await reader.visitViolations(
    { run, withActive: true, resolvedAfter: withResolved ? 0 : undefined, withOwner: false, withText: true },
    ({ id, isResolved, name, message, uid, rule, path, project }) => {
      const texts = [name, message, uid, rule, path, project]
      if (texts.some((one) => one.toLowerCase().includes(wanted))) ids.add(`${id}${isResolved}`)
    },
  )
  return Uint8Array.from({ length: index.size }, (_, row) => {
    const { id, isResolved } = index.found(row)
    return ids.has(`${id}${isResolved}`) ? 1 : 0
  })
}
