import { firstInOrder } from '../history/first-in-order.ts'
import type { HistoryReader } from '../history/reader.ts'
import { byCodePoint, compareText, inGroupOrder } from '../history/report-order.ts'
import { type GroupChoice, readViolationGroups, type ViolationGroup } from '../history/sql/first-violations.ts'
import {
  countSeverities,
  isOpen,
  overdueRule,
  type Severity,
  severities,
  type ViolationState,
  violationStates,
} from '../model/violation.ts'

export interface ViolationCounts {
  readonly total: number
  readonly severities: Readonly<Record<Severity, number>>
  readonly states: Readonly<Record<ViolationState, number>>
}

/** How many violations there are of a choice. */
export async function countViolations(
  reader: HistoryReader,
  choice: Omit<GroupChoice, 'by'>,
  isCounted: (group: ViolationGroup) => boolean = () => true,
): Promise<number> {
  let total = 0
  await readViolationGroups(reader, { ...choice, by: [] }, (group) => {
    if (isCounted(group)) total += group.violations
  })
  return total
}

/** How many violations of some groups there are of what. */
export function countGroups(groups: readonly ViolationGroup[]): ViolationCounts {
  const counts = { total: 0, severities: countSeverities([]), states: countStates() }
  for (const { severity, state, violations } of groups) {
    counts.total += violations
    counts.severities[severity] += violations
    counts.states[state] += violations
  }
  return counts
}

function countStates() {
  // fromEntries forgets that the keys are all states.
  return Object.fromEntries(violationStates.map((state) => [state, 0])) as Record<
    (typeof violationStates)[number],
    number
  >
}

/** Groups that are alike in what they are ranked by. */
export interface RankedGroup {
  readonly groups: readonly ViolationGroup[]
  /** Of them, the one with the first violation. */
  readonly first: ViolationGroup
  readonly total: number
}

interface Ranking extends RankedGroup {
  readonly groups: ViolationGroup[]
  first: ViolationGroup
  total: number
  /** The index of the worst severity. */
  worst: number
}

interface RankOptions {
  /** What orders violations first. */
  readonly sortKey?: ((group: ViolationGroup) => string) | undefined
  /** How many are wanted. Default: all. */
  readonly most?: number
}

/**
 * The one with the worst violation first, then the one with the most, then that of which one comes first in the order.
 * `total`: how many there are in all.
 */
export function rankGroups(
  all: readonly ViolationGroup[],
  keyOf: (group: ViolationGroup) => string,
  { sortKey = () => '', most = Number.POSITIVE_INFINITY }: RankOptions = {},
): { readonly first: readonly RankedGroup[]; readonly total: number } {
  const inOrder = (a: ViolationGroup, b: ViolationGroup) =>
    compareText(sortKey(a), sortKey(b)) ||
    inGroupOrder(a, b) ||
    compareText(a.kind, b.kind) ||
    byCodePoint(a.uid, b.uid) ||
    compareText(a.rule, b.rule)
  const ranked = new Map<string, Ranking>()
  for (const group of all) {
    const key = keyOf(group)
    const worst = severities.indexOf(group.severity)
    const entry = ranked.get(key)
    if (entry === undefined) ranked.set(key, { groups: [group], first: group, worst, total: group.violations })
    else {
      entry.groups.push(group)
      entry.total += group.violations
      entry.worst = Math.min(entry.worst, worst)
      if (inOrder(group, entry.first) < 0) entry.first = group
    }
  }
  const first = firstInOrder<Ranking>(
    most,
    (a, b) => a.worst - b.worst || b.total - a.total || inOrder(a.first, b.first),
  )
  for (const one of ranked.values()) first.add(one)
  return { first: first.values(), total: ranked.size }
}

/** Active violations of a run. */
export interface ActiveViolations {
  /** By what they have in common, but for their rules. */
  readonly groups: readonly ViolationGroup[]
  /** Rules with open ones: the one with the worst violation first, then the one with the most. */
  readonly rules: readonly ViolatedRule[]
  /** The ids of all rules with active ones. */
  readonly active: readonly string[]
}

/** Reads them once. */
export async function readActive(reader: HistoryReader, run: number): Promise<ActiveViolations> {
  const groups = new Map<string, ViolationGroup>()
  const open: ViolationGroup[] = []
  const active = new Set<string>()
  await readViolationGroups(reader, { run, withActive: true, resolvedAfter: undefined, by: ['rule'] }, (group) => {
    const { severity, state, kind, projectId, firstRun, waiver, violations } = group
    const rule = group.rule === overdueRule ? overdueRule : ''
    const key = [projectId, severity, state, kind, firstRun, waiver, rule, group.ids === undefined].join()
    const entry = groups.get(key)
    const ids = group.ids && { ids: [...(entry?.ids ?? []), ...group.ids] }
    groups.set(key, { ...group, rule, violations: violations + (entry?.violations ?? 0), ...ids })
    active.add(group.rule)
    if (isOpen(group)) open.push(group)
  })
  const rules = rankGroups(open, ({ rule }) => rule).first.map(({ first: { rule, severity }, total }) => {
    return { rule, severity, total }
  })
  return { groups: [...groups.values()], rules, active: [...active] }
}

export interface ViolatedRule {
  readonly rule: string
  /** Of its first violation, in the order of reports. */
  readonly severity: Severity
  readonly total: number
}
