import { matchesProject } from '../config/choose-projects.ts'
import { firstInOrder } from '../history/first-in-order.ts'
import type { HistoryReader } from '../history/reader.ts'
import { inListOrder } from '../history/report-order.ts'
import { type ListedViolation, listViolations } from '../history/sql/list-violations.ts'
import { readViolationsByKey } from '../history/sql/violation-keys.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { matchesGlob } from '../model/glob.ts'
import { remembering } from '../model/remembering.ts'
import type { Kind } from '../model/resource.ts'
import {
  countSeverities,
  dueTime,
  isInRange,
  type SeverityRange,
  severities,
  type ViolationState,
  violationStates,
} from '../model/violation.ts'
import { type Label, labelTest } from './last-evaluations.ts'

/** Which violations a command, a page, a client of the API or an assistant asks for. */
export interface ViolationFilter extends SeverityRange {
  readonly states: ReadonlySet<ViolationState>
  /** Only violations that later runs opened or resolved; 0 for all. */
  readonly after: number
  /** A pattern with `*`. */
  readonly rule: string | undefined
  /** Patterns with `*`; all when empty. */
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  /** Patterns with `*`; all when empty. Of what has no owner, the empty text. */
  readonly owners: readonly string[]
  /** Labels of the projects; every one must match. */
  readonly labels: readonly Label[]
  /** What a name, a message, a uid, a rule, a path or a project contains, in any case. */
  readonly text: string | undefined
  /** Only violations first seen before this time, in milliseconds since the epoch. */
  readonly before: number | undefined
  /** Only violations whose due date is before this time, in milliseconds since the epoch. */
  readonly overdueAt: number | undefined
}

/** What the last scan of each project recorded of it. */
type Evaluations = ReadonlyMap<string, ProjectEvaluation>

/** The violations as of a run that a filter chooses from. */
export function listFor(
  reader: HistoryReader,
  run: number,
  { states, after, owners, text }: ViolationFilter,
  withOwners = owners.length > 0,
): Promise<readonly ListedViolation[]> {
  const resolvedAfter = states.has('resolved') ? after : undefined
  return listViolations(reader, { run, resolvedAfter, withOwners, withTexts: text !== undefined })
}

/** Whether a violation passes a filter. */
export function filterTest(filter: ViolationFilter, evaluations: Evaluations): (violation: ListedViolation) => boolean {
  const { states, after, rule = '*', projects, kind, owners, before, overdueAt } = filter
  const hasLabels = labelTest(evaluations, filter.labels)
  // Many violations share these.
  const isOfProject = remembering((project) => matchesProject(project, projects) && hasLabels(project))
  const isOfRule = remembering((id) => matchesGlob(id, rule))
  const isOfOwner = remembering((owner) => owners.some((pattern) => matchesGlob(owner, pattern)))
  const dueOf = dueTimes(evaluations)
  const text = filter.text?.toLowerCase()
  return (violation) => {
    const { state, run, firstRun, project, owner = '', name = '', message = '', uid, path } = violation
    return (
      states.has(state) &&
      (state === 'resolved' ? run : firstRun) > after &&
      isOfProject(project) &&
      isOfRule(violation.rule) &&
      isInRange(violation.severity, filter) &&
      (kind === undefined || violation.kind === kind) &&
      (owners.length === 0 || isOfOwner(owner)) &&
      (before === undefined || Date.parse(violation.first_seen) < before) &&
      (overdueAt === undefined || dueOf(violation) < overdueAt) &&
      (text === undefined ||
        [name, message, uid, violation.rule, path, project].some((part) => part.toLowerCase().includes(text)))
    )
  }
}

/**
 * How many could not be checked of those that pass all else of a filter, where it asks for open ones: what could not be
 * checked must not be taken for gone.
 */
export function countUnlisted(
  listed: readonly ListedViolation[],
  filter: ViolationFilter,
  evaluations: Evaluations,
): number {
  if (!filter.states.has('opened') || filter.states.has('unknown')) return 0
  return listed.filter(filterTest({ ...filter, states: new Set(['unknown']) }, evaluations)).length
}

/** By severity as in reports, the oldest first, or the first that is due first. */
export const violationOrders = ['severity', 'age', 'due'] as const
export type ViolationOrder = (typeof violationOrders)[number]

/** What an order compares first. */
export type SortKey = (violation: DatedViolation) => number

type DatedViolation = Parameters<typeof dueTime>[0] & Pick<ListedViolation, 'project'>

export function sortKeyOf(order: ViolationOrder, evaluations: Evaluations): SortKey {
  if (order === 'severity') return unsorted
  return order === 'age' ? ({ first_seen }) => Date.parse(first_seen) : dueTimes(evaluations)
}

const unsorted: SortKey = () => 0

/** By when violations must be fixed; what has no due date comes last. */
function dueTimes(evaluations: Evaluations): SortKey {
  return (violation) => dueTime(violation, evaluations.get(violation.project)?.due) ?? Number.POSITIVE_INFINITY
}

/** A position in a list, where a violation is or was. */
export interface ViolationCursor
  extends Pick<ListedViolation, 'run' | 'severity' | 'state' | 'project' | 'kind' | 'uid' | 'rule' | 'path'> {
  readonly sortKey: number
  /** Whether the page is what comes before it, and not what comes after it. */
  readonly isEnd: boolean
}

interface PageChoice {
  readonly sortKey?: SortKey
  readonly most: number
  readonly cursor?: ViolationCursor | undefined
}

/** The first violations, or those next to a cursor, in order; and how many there are around them. */
export function cutList(
  chosen: readonly ListedViolation[],
  { sortKey = unsorted, most, cursor }: PageChoice,
): { readonly page: readonly ListedViolation[]; readonly before: number; readonly after: number } {
  const turn = cursor?.isEnd ? -1 : 1
  const inOrder = orderBy(sortKey)
  const first = firstInOrder<ListedViolation>(most, (a, b) => turn * inOrder(a, b))
  let passed = 0
  for (const violation of chosen) {
    if (cursor !== undefined && turn * inOrder(violation, cursor) <= 0) passed++
    else first.add(violation)
  }
  const page = first.values()
  const ahead = chosen.length - passed - page.length
  return turn < 0 ? { page: page.toReversed(), before: ahead, after: passed } : { page, before: passed, after: ahead }
}

function orderBy(sortKey: SortKey): (a: ListedViolation, b: ListedViolation | ViolationCursor) => number {
  return (a, b) => {
    const [key, other] = [sortKey(a), 'sortKey' in b ? b.sortKey : sortKey(b)]
    return Number(key > other) - Number(key < other) || inListOrder(a, b)
  }
}

/** The first violations in order, with all that is known of them. */
export function readFirst(reader: HistoryReader, chosen: readonly ListedViolation[], choice: PageChoice) {
  return readViolationsByKey(reader, cutList(chosen, choice).page)
}

export type ViolationCounts = ReturnType<typeof countViolations>

/** How many violations there are of what. */
export function countViolations(violations: readonly ListedViolation[]) {
  // fromEntries forgets that the keys are all states.
  const states = Object.fromEntries(violationStates.map((state) => [state, 0])) as Record<ViolationState, number>
  for (const { state } of violations) states[state] += 1
  return { total: violations.length, severities: countSeverities(violations), states }
}

/** Violations that are alike. */
export interface RankedGroup {
  readonly violations: readonly ListedViolation[]
  /** The one that comes first in the order. */
  readonly first: ListedViolation
}

/** The group with the worst violation first, then the one with the most, then that of which one comes first in the order. */
export function rankViolations(
  violations: readonly ListedViolation[],
  keyOf: (violation: ListedViolation) => string,
  sortKey: SortKey = unsorted,
): readonly RankedGroup[] {
  const inOrder = orderBy(sortKey)
  const groups = [...Map.groupBy(violations, keyOf).values()].map((alike) => ({
    violations: alike,
    first: alike.reduce((first, other) => (inOrder(other, first) < 0 ? other : first)),
    worst: alike.reduce<number>(
      (worst, { severity }) => Math.min(worst, severities.indexOf(severity)),
      severities.length,
    ),
  }))
  return groups.sort(
    (a, b) => a.worst - b.worst || b.violations.length - a.violations.length || inOrder(a.first, b.first),
  )
}

/** The rules of all violations as of a run, ended ones too. In a pruned history, of those that ended in runs it has. */
export async function readViolatedRules(reader: HistoryReader, run: number): Promise<readonly string[]> {
  const listed = await listViolations(reader, { run, resolvedAfter: 0 })
  return [...new Set(listed.map(({ rule }) => rule))].sort()
}
