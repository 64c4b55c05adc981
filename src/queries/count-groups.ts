import type { GroupChoice, HistoryReader, ViolationGroup } from '../history/reader.ts'
import { compareText } from '../history/report-order.ts'
import { countSeverities, isOpen, overdueRule, type Severity, severities, violationStates } from '../model/violation.ts'
import { byCodePoint } from './list-cursor.ts'
import type { ViolationCounts } from './page-violations.ts'

/** How many violations there are of a choice. */
export async function countViolations(
  reader: Pick<HistoryReader, 'groupViolations'>,
  choice: Omit<GroupChoice, 'byRule'>,
  isCounted: (group: ViolationGroup) => boolean = () => true,
): Promise<number> {
  let total = 0
  await reader.groupViolations({ ...choice, byRule: false }, (group) => {
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

/** Active violations of a run. */
export interface ActiveViolations {
  /** By what they have in common, but for their rules. */
  readonly groups: readonly ViolationGroup[]
  /** Rules with open ones: the one with the worst violation first, then the one with the most. */
  readonly rules: readonly ViolatedRule[]
}

/** Reads them once. */
export async function readActive(
  reader: Pick<HistoryReader, 'groupViolations'>,
  run: number,
): Promise<ActiveViolations> {
  const groups = new Map<string, ViolationGroup>()
  const rules = new Map<string, { first: ViolationGroup; total: number }>()
  await reader.groupViolations({ run, withActive: true, resolvedAfter: undefined, byRule: true }, (group) => {
    const { severity, state, kind, projectId, firstRun, waiver, violations } = group
    const rule = group.rule === overdueRule ? overdueRule : ''
    const key = [projectId, severity, state, kind, firstRun, waiver, rule].join()
    const known = groups.get(key)
    const uid = known === undefined || byCodePoint(group.uid, known.uid) < 0 ? group.uid : known.uid
    groups.set(key, { ...group, rule, uid, violations: violations + (known?.violations ?? 0) })
    if (!isOpen(group)) return
    const { first, total } = rules.get(group.rule) ?? { first: group, total: 0 }
    rules.set(group.rule, { first: inOrder(group, first) < 0 ? group : first, total: total + violations })
  })
  return { groups: [...groups.values()], rules: rankRules(rules) }
}

export interface ViolatedRule {
  readonly rule: string
  /** Of its first violation, in the order of reports. */
  readonly severity: Severity
  readonly total: number
}

function rankRules(rules: ReadonlyMap<string, { first: ViolationGroup; total: number }>): readonly ViolatedRule[] {
  return [...rules]
    .map(([rule, { first, total }]) => ({ rule, first, total }))
    .sort(
      (a, b) =>
        severities.indexOf(a.first.severity) - severities.indexOf(b.first.severity) ||
        b.total - a.total ||
        inOrder(a.first, b.first),
    )
    .map(({ rule, first, total }) => ({ rule, severity: first.severity, total }))
}

/** Active groups by their first violations, in the order of reports. */
function inOrder(a: ViolationGroup, b: ViolationGroup): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    Number(b.state === 'opened') - Number(a.state === 'opened') ||
    compareText(a.project, b.project) ||
    compareText(a.kind, b.kind) ||
    byCodePoint(a.uid, b.uid) ||
    compareText(a.rule, b.rule)
  )
}
