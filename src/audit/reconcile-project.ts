import type { Acceptance } from '../history/acceptances.ts'
import type { ActiveViolation, ScanDraft } from '../history/history.ts'
import type { Finding } from '../model/violation.ts'
import { type IgnoredPath, isIgnoredBy } from '../policy/ignored-paths.ts'
import type { Needs, RuleNeeds } from '../policy/rule-needs.ts'
import { projectCriteria } from './conclude-fleet.ts'
import type { ExpectedState } from './expected-state.ts'
import type { ProjectAcceptances } from './project-acceptances.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import { byKey, keyed, reconcile } from './reconcile.ts'
import { writeReconciliation } from './write-violations.ts'

/**
 * Decides what becomes of a project's violations when its scan has ended, and drafts it. Violations of rules across
 * projects, and of rules about violations, are left for the end of the run.
 */
export async function reconcileProject(
  draft: ScanDraft,
  outcome: ProjectOutcome,
  findings: readonly Finding[],
  { needs, acceptances, expected, ignored, isSame = false }: Decisions,
): Promise<void> {
  const { project } = outcome
  const unconfirmed = await draft.unconfirmedViolations(project)
  const active = unconfirmed.filter(({ rule }) => !isOfRun(needs.get(rule)?.scope))
  const criteria = projectCriteria(outcome, needs)
  // Without an approved state, the policy asks for no comparison with one.
  const unasked = expected !== undefined ? [] : active.filter((violation) => isByApproval(violation, needs))
  // What was found in a field that the policy ignores now is not fixed.
  const left = active.filter(({ rule, path }) => needs.get(rule)?.scope === 'drift' && isIgnored(ignored, path))
  const endings = new Map([
    ...left.map((violation) => [keyed(violation).key, 'policy'] as const),
    ...criteria.endings,
    ...unasked.map((violation) => [keyed(violation).key, 'policy'] as const),
  ])
  const covered = active.filter((violation) => isCovered(violation, needs, expected))
  const approved = new Set(covered.map((violation) => keyed(violation).key))
  const isApproved = (violation: Finding) => approved.has(keyed(violation).key)
  acceptances.endRestored({ ...criteria, endings }, (acceptance, { scope, life }) => {
    if (isOfRun(scope) || isIgnored(ignored, acceptance.path)) return false
    // What is the same as in the last scan was not concluded again.
    if (isSame && scope === 'project') return false
    return life !== 'approved' || isComparedSince(acceptance, expected)
  })
  const reconciliation = reconcile(byKey(active), findings.map(keyed), {
    ...criteria,
    endings: new Map([...endings, ...acceptances.endingsOf(active)]),
    isApproved,
  })
  await writeReconciliation(draft, project, reconciliation)
  await acceptances.write(draft)
}

/** Whether the state that was approved when a person accepted a difference from it is compared with still. */
function isComparedSince({ at }: Acceptance, expected: Decisions['expected']): boolean {
  if (expected === undefined || expected === 'unread') return false
  return expected.approvedAt === undefined || expected.approvedAt <= at
}

function isOfRun(scope: Needs['scope'] | undefined): boolean {
  return scope === 'fleet' || scope === 'violations'
}

interface Decisions {
  readonly needs: RuleNeeds
  readonly acceptances: ProjectAcceptances
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  /** `unread`: nothing of the project is kept, so nothing is known of its approved state. */
  readonly expected: ExpectedState | 'unread' | undefined
  /** Whether what rules across resources read is as the last scan left it, so that they found nothing anew. */
  readonly isSame?: boolean
}

function isIgnored(ignored: readonly IgnoredPath[], path: string): boolean {
  return ignored.some((one) => isIgnoredBy(one, path))
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
