import type { OldViolation } from '../history/staged.ts'
import { decidedBy, type Ending } from '../model/ending.ts'
import { pointerStep } from '../model/json.ts'
import type { ProjectRef } from '../model/resource.ts'
import {
  countSeverities,
  type DueDurations,
  dueTime,
  type Finding,
  overdueRule,
  type Resolution,
  type Severity,
} from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { OverdueViolations } from '../rules/engine/rule.ts'
import type { ProjectConclusion } from './fleet-conclusion.ts'
import { bareResource, byPolicy } from './policy-endings.ts'
import { keyOf } from './reconcile.ts'

/** A violation as a run leaves it, as far as its due date needs it. */
export type AgedViolation = Pick<
  OldViolation,
  'rule' | 'kind' | 'severity' | 'state' | 'waiver' | 'first_seen' | 'ending'
>

interface DuePolicy {
  readonly evaluator: Pick<PolicyEvaluator, 'evaluateOverdue' | 'needs' | 'switchOf'>
  readonly due: DueDurations
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
}

interface OverdueFacts<Active> {
  /** The project's violations as the run leaves them, those that it ended included. */
  readonly old: readonly AgedViolation[]
  /** Of `violation/overdue`. */
  readonly active: readonly Active[]
  /** Whether one was opened by a clock that was ahead of this run's: nothing says yet that it is not overdue. */
  isOfLaterTime(violation: Active): boolean
}

/** What `violation/overdue` finds in a project, and what decides its active violations. */
export function concludeOverdue<Active extends Finding>(
  project: ProjectRef,
  { old, active, isOfLaterTime }: OverdueFacts<Active>,
  { evaluator, due, now }: DuePolicy,
): ProjectConclusion {
  const past = old.filter(({ kind, rule, severity, first_seen }) => {
    const time = dueTime({ kind, rule, severity, first_seen, state: 'open' }, due)
    return time !== undefined && time < now
  })
  const byPath = Map.groupBy(past, ({ rule }) => `/${pointerStep(rule)}`)
  const overdue = [...byPath.values()].flatMap((group) => describeOverdue(group, due))
  const undecided = new Set([
    ...[...byPath].flatMap(([path, group]) => (group.some(isUnknown) ? [path] : [])),
    ...active.filter((violation) => !byPath.has(violation.path) && isOfLaterTime(violation)).map(({ path }) => path),
  ])
  const isDueLater = (violation: Finding) => byPolicy(evaluator.switchOf(project, bareResource(violation), overdueRule))
  const always = () => true
  const never = () => false
  return {
    project,
    findings: evaluator.evaluateOverdue(project, overdue),
    criteria: {
      needs: evaluator.needs,
      isComplete: { resource: always, drift: always, scan: always, project: always, fleet: always, violations: always },
      hasFailed: never,
      isInDoubt: never,
      endings: new Map(
        active.flatMap((violation) =>
          undecided.has(violation.path)
            ? []
            : [[keyOf(violation), endingAmong(byPath.get(violation.path) ?? [], isDueLater(violation))] as const],
        ),
      ),
      isRemoved: never,
      isUnobserved: ({ path }) => undecided.has(path),
    },
  }
}

/** Before when a violation must have been first seen to be overdue, by severity: ISO 8601 in UTC. */
export function overdueBefore(due: DueDurations, now: number): Readonly<Partial<Record<Severity, string>>> {
  return Object.fromEntries(
    Object.entries(due).map(([severity, duration]) => [severity, new Date(now - duration).toISOString()]),
  )
}

/** Nothing where none is open: what only an earlier scan saw may be fixed. */
function describeOverdue(group: readonly AgedViolation[], due: DueDurations): OverdueViolations[] {
  const [first] = group
  if (first === undefined || !group.some((violation) => isActive(violation) && violation.state === 'open')) return []
  const counted = group.filter(isActive)
  const times = counted.map((violation) => dueTime(violation, due) ?? Number.POSITIVE_INFINITY)
  return [{ rule: first.rule, counts: countSeverities(counted), firstDue: new Date(Math.min(...times)).toISOString() }]
}

function isActive({ state, waiver, ending }: AgedViolation): boolean {
  return ending === undefined && state !== 'waived' && waiver === undefined
}

function isUnknown(violation: AgedViolation): boolean {
  return isActive(violation) && violation.state === 'unknown'
}

/** The least good first: what was overdue is only fixed when all of it is. */
const worstFirst = ['policy', 'expired', 'accepted', 'removed', 'fixed'] as const satisfies readonly Resolution[]

/** `dueLater`: of a policy by which none of them is overdue any longer. */
function endingAmong(group: readonly AgedViolation[], dueLater: Ending): Ending {
  const byResolution = new Map(
    group.map((violation) => endingOf(violation)).map((ending) => [ending.resolution, ending]),
  )
  for (const resolution of worstFirst) {
    const ending = byResolution.get(resolution)
    if (ending !== undefined) return ending
  }
  return dueLater
}

/** What a waiver covers is overdue no more than what a person accepts. */
function endingOf({ ending, waiver }: AgedViolation): Ending {
  if (ending !== undefined) return ending
  const { owner = null, reason = null } = waiver ?? {}
  return { resolution: 'accepted', ended_by: decidedBy('acceptance', { by: owner, at: null, reason }) }
}
