import type { Acceptance } from '../history/acceptances.ts'
import type { ActiveViolation, ViolationDraft } from '../history/history.ts'
import { findLastApproval } from '../history/sql/approvals.ts'
import { decidedAt, decidedBy, type Ending, fixed } from '../model/ending.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import { type IgnoredPath, isIgnoredBy } from '../policy/ignored-paths.ts'
import type { Needs, RuleNeeds } from '../policy/policy.ts'
import { projectCriteria } from './conclude-fleet.ts'
import { baselineOf, type ExpectedState } from './expected-state.ts'
import { byPolicy, endingOfIgnored, readSwitches } from './policy-endings.ts'
import type { ProjectAcceptances } from './project-acceptances.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import { byKey, keyed, reconcile } from './reconcile.ts'
import { writeReconciliation } from './write-violations.ts'

/**
 * Decides what becomes of a project's violations when its scan has ended, and drafts it. Violations of rules across
 * projects, and of rules about violations, are left for the end of the run.
 */
export async function reconcileProject(
  draft: ViolationDraft,
  outcome: ProjectOutcome,
  findings: readonly Finding[],
  { evaluator, acceptances, expected, ignored }: Decisions,
): Promise<void> {
  const { project } = outcome
  const { needs } = evaluator
  const unconfirmed = await draft.unconfirmedViolations(project)
  const active = unconfirmed.filter(({ rule }) => !isOfRun(needs.get(rule)?.scope))
  const criteria = projectCriteria(outcome, needs)
  // What was found in a field that the policy ignores now is not fixed.
  const left = active.flatMap((violation) => {
    const by = needs.get(violation.rule)?.scope === 'drift' ? ignoredBy(ignored, violation.path) : undefined
    return by === undefined ? [] : [[keyed(violation).key, endingOfIgnored(by, evaluator)] as const]
  })
  // Without an approved state, the policy asks for no comparison with one.
  const unasked = expected !== undefined ? [] : active.filter((violation) => isByApproval(violation, needs))
  const withoutBaseline = unasked.length === 0 ? fixed : await endingOfBaseline(draft, project)
  const endings = new Map([
    ...left,
    ...criteria.endings,
    ...unasked.map((violation) => [keyed(violation).key, withoutBaseline] as const),
  ])
  const covered = active.filter((violation) => isCovered(violation, needs, expected))
  const approved = new Set(covered.map((violation) => keyed(violation).key))
  const decided = {
    ...criteria,
    endings,
    approvedBy: (violation: Finding) =>
      expected !== undefined && expected !== 'unread' && approved.has(keyed(violation).key)
        ? baselineOf(expected, violation)
        : undefined,
    switchOf: await readSwitches(draft, project, [...active, ...acceptances.findings], evaluator),
  }
  acceptances.endRestored(decided, (acceptance, { scope, life }) => {
    if (isOfRun(scope) || ignoredBy(ignored, acceptance.path) !== undefined) return false
    return life !== 'approved' || isComparedSince(acceptance, expected)
  })
  const reconciliation = reconcile(byKey(active), findings.map(keyed), {
    ...decided,
    endings: new Map([...endings, ...acceptances.endingsOf(active)]),
  })
  await writeReconciliation(draft, project, reconciliation)
  await acceptances.write(draft)
}

/** Whether the state that was approved when a person accepted a difference from it is compared with still. */
function isComparedSince({ at }: Acceptance, expected: Decisions['expected']): boolean {
  if (expected === undefined || expected === 'unread') return false
  return expected.approval === undefined || expected.approval.at <= at
}

function isOfRun(scope: Needs['scope'] | undefined): boolean {
  return scope === 'fleet' || scope === 'violations'
}

interface Decisions {
  readonly evaluator: PolicyEvaluator
  readonly acceptances: ProjectAcceptances
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  /** `unread`: nothing of the project is kept, so nothing is known of its approved state. */
  readonly expected: ExpectedState | 'unread' | undefined
}

function ignoredBy(ignored: readonly IgnoredPath[], path: string): IgnoredPath | undefined {
  return ignored.find((one) => isIgnoredBy(one, path))
}

/** A violation that only a comparison with a baseline could find, where there is none any longer. */
async function endingOfBaseline(draft: ViolationDraft, project: ProjectRef): Promise<Ending> {
  const { run, revoked } = (await findLastApproval(draft.past, project)) ?? {}
  return byPolicy({
    endedBy:
      revoked === undefined
        ? decidedAt('rule_off', { reason: 'there is no baseline to compare with', place: null })
        : decidedBy('baseline', { ...revoked, reason: 'the baseline was revoked', run }),
  })
}

/** Whether only a comparison with an approved state can find it. */
function isByApproval({ rule, originRun }: ActiveViolation, needs: RuleNeeds): boolean {
  const life = needs.get(rule)?.life
  return life === 'approved' || (life === 'restored' && originRun === undefined)
}

/** Whether the approved state is as young as a violation of it: then the state has what was found. */
function isCovered(violation: ActiveViolation, needs: RuleNeeds, expected: Decisions['expected']): boolean {
  if (expected === undefined || expected === 'unread' || needs.get(violation.rule)?.life !== 'approved') return false
  const run = expected.runOf(violation)
  return run !== undefined && run >= violation.firstRun
}
