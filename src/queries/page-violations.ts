import { matchesProject } from '../config/choose-projects.ts'
import type { HistoryReader } from '../history/reader.ts'
import { matchesGlob } from '../model/glob.ts'
import { type Kind, kinds } from '../model/resource.ts'
import {
  isInRange,
  type Severity,
  type SeverityRange,
  severities,
  type ViolationState,
  violationStates,
} from '../model/violation.ts'
import type { Grouping } from '../report/group-by.ts'
import { type DueOf, dueTimes } from './due-times.ts'
import { stateAt, type ViolationIndex } from './violation-index.ts'

/** Which violations of an index are asked for; what is undefined or empty chooses nothing out. */
export interface ViolationFilter extends SeverityRange {
  readonly states: ReadonlySet<ViolationState>
  /** A pattern with `*`. */
  readonly rule?: string | undefined
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
  /** Whose texts match. */
  readonly matching?: RowMask | undefined
}

export type RowTest = (row: number) => boolean
/** For each row of an index, whether it is chosen: 1 or 0. */
export type RowMask = Uint8Array

/** Chooses rows by tables of what they have in common, so that a million take some milliseconds. */
export function maskRows(index: ViolationIndex, filter: ViolationFilter, dueOf: DueOf): RowMask {
  const { states, rule, projects = [], kind, owners = [], before, since, overdueAt, matching } = filter
  const passing = new Uint8Array(index.size).fill(1)
  const keep = (test: RowTest) => {
    for (let row = 0; row < passing.length; row++) if (passing[row] === 1 && !test(row)) passing[row] = 0
  }
  const keepValues = <Value>(
    values: readonly Value[],
    column: Uint8Array | Uint32Array,
    test: (value: Value) => boolean,
  ) => {
    const table = Uint8Array.from(values, (value) => (test(value) ? 1 : 0))
    // What all values pass is not asked of each row.
    if (!table.includes(0)) return
    for (let row = 0; row < passing.length; row++) passing[row] = (passing[row] ?? 0) & (table[column[row] ?? 0] ?? 0)
  }
  keepValues(violationStates, index.state, (state) => states.has(state))
  keepValues(severities, index.severity, (one) => isInRange(one, filter))
  keepValues(index.rules, index.rule, (id) => rule === undefined || matchesGlob(id, rule))
  keepValues(index.projects, index.project, (name) => matchesProject(name, projects))
  keepValues(kinds, index.kind, (one) => kind === undefined || one === kind)
  keepValues(index.owners, index.owner, (name) => owners.length === 0 || owners.some((one) => matchesGlob(name, one)))
  keepValues(index.times, index.time, (time) => before === undefined || Date.parse(time) < before)
  if (since !== undefined) {
    keep((row) => {
      if (stateAt(index, row) === 'resolved') return index.found(row).run > since.after
      return (index.times[index.time[row] ?? 0] ?? '') >= since.time
    })
  }
  if (overdueAt !== undefined) keep(testOverdue(index, overdueAt, dueOf))
  if (matching !== undefined) keep((row) => matching[row] === 1)
  return passing
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
 * A page of the rows that are wanted: the first `most` from `from` on, or the last ones before `until`, which are rows of
 * the index.
 */
export function pageRows(
  index: ViolationIndex,
  wanted: RowTest | RowMask,
  { from = 0, until, most }: { readonly from?: number; readonly until?: number | undefined; readonly most: number },
): RowPage {
  const { chosen, counts } = chooseRows(index, wanted)
  const start = until === undefined ? firstFrom(chosen, from) : Math.max(0, firstFrom(chosen, until) - most)
  const end = until === undefined ? Math.min(chosen.length, start + most) : firstFrom(chosen, until)
  return { rows: [...chosen.subarray(start, end)], before: start, after: chosen.length - end, counts }
}

/** The rows that are wanted, and how many there are of what. */
function chooseRows(
  index: ViolationIndex,
  wanted: RowTest | RowMask,
): { readonly chosen: Uint32Array; readonly counts: ViolationCounts } {
  const mask = maskOf(index, wanted)
  const { size, severity, state } = index
  const states = violationStates.length
  const chosen = new Uint32Array(size)
  const counted = new Uint32Array(severities.length * states)
  let total = 0
  for (let row = 0; row < size; row++) {
    if (mask[row] === 0) continue
    chosen[total++] = row
    const kind = (severity[row] ?? 0) * states + (state[row] ?? 0)
    counted[kind] = (counted[kind] ?? 0) + 1
  }
  const sum = (isOf: (kind: number) => boolean) =>
    counted.reduce((all, count, kind) => (isOf(kind) ? all + count : all), 0)
  return {
    chosen: chosen.subarray(0, total),
    counts: {
      total,
      severities: countsOf(severities, (at) => sum((kind) => Math.floor(kind / states) === at)),
      states: countsOf(violationStates, (at) => sum((kind) => kind % states === at)),
    },
  }
}

function maskOf({ size }: ViolationIndex, wanted: RowTest | RowMask): RowMask {
  if (typeof wanted !== 'function') return wanted
  const mask = new Uint8Array(size)
  for (let row = 0; row < size; row++) if (wanted(row)) mask[row] = 1
  return mask
}

/** The place of the first number that is not below `least`, in sorted numbers. */
function firstFrom(sorted: Uint32Array, least: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

function countsOf<Name extends string>(names: readonly Name[], countAt: (at: number) => number): Record<Name, number> {
  // fromEntries forgets that the keys are all names.
  return Object.fromEntries(names.map((name, at) => [name, countAt(at)])) as Record<Name, number>
}

export interface RowGroup {
  /** The first of its rows. */
  readonly row: number
  readonly total: number
  readonly severities: Readonly<Record<Severity, number>>
}

/** Groups of the rows that are wanted: the one with the worst violation first, then the largest. */
export function groupRows(index: ViolationIndex, wanted: RowTest | RowMask, by: Grouping): readonly RowGroup[] {
  const key = index[by]
  const mask = maskOf(index, wanted)
  const groups = new Map<number, { row: number; counts: Uint32Array }>()
  for (let row = 0; row < index.size; row++) {
    if (mask[row] === 0) continue
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
    .map(({ row, counts, total }) => ({ row, total, severities: countsOf(severities, (at) => counts[at] ?? 0) }))
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
