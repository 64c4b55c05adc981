import type { Acceptance } from '../history/acceptances.ts'
import type { Approval } from '../history/approvals.ts'
import type { NamedVersion } from '../history/history.ts'
import type { ActiveViolation } from '../history/staged.ts'
import { decidedBy, type Ending, notRequired } from '../model/ending.ts'
import { isEqual, pointersOverlap } from '../model/json.ts'
import { type Resource, resourceKey } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import { type IgnoredPath, isIgnoredBy } from '../policy/ignored-paths.ts'
import type { Needs, RuleNeeds } from '../policy/policy.ts'
import { compareSince } from './compare-since.ts'
import type { Reform } from './comparison.ts'
import { projectCriteria } from './conclude-fleet.ts'
import { baselineOf, type ExpectedState } from './expected-state.ts'
import { isAboutMasked } from './masked-secrets.ts'
import {
  type AsLeft,
  byPolicy,
  endingOfIgnored,
  endingOfReported,
  endingOfService,
  endingOfUnprobed,
  switchesOf,
} from './policy-endings.ts'
import { asFinding, type ProjectAcceptances } from './project-acceptances.ts'
import type { EarlierRuns, ProjectBefore } from './project-before.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import { byKey, type Criteria, keyed, keyOf, type Reconciliation, reconcile } from './reconcile.ts'
import type { Yesterday } from './yesterday.ts'

/** What decides about the violations of a project besides what its scan found. */
export interface ReconciliationBasis {
  readonly evaluator: PolicyEvaluator
  readonly acceptances: ProjectAcceptances
  /** Violations that were active before the run. */
  readonly violations: readonly ActiveViolation[]
  readonly asLeft: AsLeft
  /** Undefined where nothing of the project is kept, or it has no resources. */
  readonly scanned?: ScannedPast | undefined
}

/** What a scan says of the past. */
export interface ScannedPast {
  readonly before: Pick<ProjectBefore, 'expected' | 'approval'> & {
    readonly versions: { before(resource: Pick<Resource, 'kind' | 'uid'>): NamedVersion | undefined }
  }
  readonly runs: EarlierRuns
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  readonly reform: Reform
  /** What today's policy says of the state before; asked about violations that another one found last. */
  readonly yesterday: Yesterday
}

/**
 * Decides what becomes of a project's violations when its scan has ended. Violations of rules across projects, and of rules
 * about violations, are left for the end of the run. `findings`: without what is accepted.
 */
export function reconcileProject(
  outcome: ProjectOutcome,
  findings: readonly Finding[],
  { evaluator, acceptances, violations, asLeft, scanned }: ReconciliationBasis,
): Reconciliation<ActiveViolation> {
  const { project } = outcome
  const { needs } = evaluator
  const active = violations.filter(({ rule }) => !isOfRun(needs.get(rule)?.scope))
  const switchOf = switchesOf(project, asLeft, evaluator)
  const criteria = projectCriteria(outcome, needs)
  const endings = new Map([
    ...(scanned === undefined ? [] : endingsByPolicy(active, scanned, evaluator)),
    ...criteria.endings,
    ...endingsOfUnprobed(active, outcome, needs),
  ])
  const silent = scanned && whatSilenceSays(scanned, { needs, switchOf, asLeft, criteria, evaluator })
  const decided: Criteria = { ...criteria, ...silent, endings, switchOf }
  const dueProbes = new Set(outcome.dueProbes)
  const { expected = undefined } = scanned?.before ?? {}
  acceptances.endRestored(decided, (acceptance, its) => {
    if (acceptance.rule in outcome.evaluation.notLicensed) return false
    if (isOfRun(its.scope) || ignoredBy(scanned?.ignored ?? [], acceptance.path) !== undefined) return false
    if (needsProbe(its) && !dueProbes.has(resourceKey(acceptance))) return criteria.isRemoved(asFinding(acceptance))
    return its.life !== 'approved' || isComparedSince(acceptance, expected)
  })
  return reconcile(byKey(active), findings.map(keyed), {
    ...decided,
    endings: new Map([...endings, ...acceptances.endingsOf(active)]),
  })
}

interface SilenceBasis {
  readonly needs: RuleNeeds
  readonly switchOf: Criteria['switchOf']
  readonly asLeft: AsLeft
  readonly criteria: ReturnType<typeof projectCriteria>
  readonly evaluator: PolicyEvaluator
}

/** What it means that a rule is silent about a violation that the scan could decide. */
function whatSilenceSays(
  { before, runs, ignored, reform, yesterday }: ScannedPast,
  { needs, switchOf, asLeft, criteria, evaluator }: SilenceBasis,
): Pick<Criteria, 'endingOf' | 'isUnobserved' | 'approvedBy'> {
  const { expected, versions } = before
  const lifeOf = ({ rule }: Finding) => needs.get(rule)?.life
  /** Of a rule about the approved state as a whole: what still differs from it, as `fields`, or cannot be compared. */
  const differenceOf = (violation: Finding) => {
    const [body, now] = [expected?.bodyOf(violation), asLeft(violation)]
    if (lifeOf(violation) !== 'approved' || body === undefined || now === undefined) return undefined
    const resource = { ...now, kind: violation.kind, uid: violation.uid, volatile: {} }
    const scan = { sealer: { keyId: now.sealKeyId }, ignored }
    const { fields, ignoredCounts, unknown } = compareSince(scan, body, resource, reform)
    const by = ignored.find(({ path }) => ignoredCounts.has(path))
    const isHidden = unknown.some(({ path, cause }) => cause !== 'masked' && pointersOverlap(path, violation.path))
    return { fields, by, isHidden: fields.length === 0 && by === undefined && isHidden }
  }
  return {
    isUnobserved: (violation) =>
      criteria.isUnobserved(violation) ||
      differenceOf(violation)?.isHidden === true ||
      isAboutMasked(violation, asLeft, criteria) ||
      // What changed lately cannot be counted where it was pruned.
      (runs.areLacking && lifeOf(violation) === 'found') ||
      yesterday.endingOf(violation) === 'unknown',
    approvedBy(violation) {
      if (lifeOf(violation) !== 'approved' || expected === undefined) return undefined
      const difference = differenceOf(violation)
      const isEnded = difference !== undefined && (difference.fields.length > 0 || difference.by !== undefined)
      const isUnchanged = () =>
        isEqual(versions.before(violation)?.attributes ?? null, asLeft(violation)?.attributes ?? null)
      const isSame = () => !isEnded && isUnchanged()
      return coversSince(violation, { expected, runs, isSame }) ? baselineOf(expected, violation) : undefined
    },
    endingOf(violation) {
      const difference = differenceOf(violation)
      if (difference !== undefined && difference.fields.length > 0) return endingOfReported(switchOf(violation))
      if (difference?.by !== undefined) return endingOfIgnored(difference.by, evaluator)
      const ending = yesterday.endingOf(violation)
      return ending === 'unknown' ? undefined : ending
    },
  }
}

interface CoverBasis {
  readonly expected: ExpectedState
  readonly runs: EarlierRuns
  /** Whether the resource is as it was. */
  isSame(): boolean
}

/**
 * Whether the approved state has what a violation is about by now: it is not older than that, or was approved since it was
 * found and the resource is as it was then.
 */
function coversSince(violation: Finding, { expected, runs, isSame }: CoverBasis): boolean {
  const { firstRun = 0 } = violation as Partial<ActiveViolation>
  if ((expected.runOf(violation) ?? 0) >= firstRun) return true
  const approvedAt = expected.approvalOf(violation)?.at
  return approvedAt !== undefined && approvedAt > (runs.times.get(firstRun)?.started_at ?? '~') && isSame()
}

/** Violations that the policy no longer asks for, regardless of the scan: in a field that it ignores, or of no baseline. */
function endingsByPolicy(
  active: readonly ActiveViolation[],
  { before, ignored }: ScannedPast,
  evaluator: PolicyEvaluator,
): (readonly [string, Ending])[] {
  const { needs } = evaluator
  const withoutBaseline = endingOfBaseline(before.approval)
  return active.flatMap((violation) => {
    // An earlier version reported it of each project.
    if (violation.kind !== 'service' && violation.rule.startsWith('service/'))
      return [[keyOf(violation), endingOfService] as const]
    const by = needs.get(violation.rule)?.scope === 'drift' ? ignoredBy(ignored, violation.path) : undefined
    const isUnasked = before.expected === undefined && isByApproval(violation, needs)
    if (by === undefined && !isUnasked) return []
    return [
      [keyOf(violation), isUnasked || by === undefined ? withoutBaseline : endingOfIgnored(by, evaluator)] as const,
    ]
  })
}

/** A violation that only a comparison with a baseline could find, where there is none any longer. */
function endingOfBaseline(approval: Approval | undefined): Ending {
  if (approval?.revoked !== undefined) {
    const { revoked, run } = approval
    return byPolicy({ ended_by: decidedBy('baseline', { ...revoked, reason: 'the baseline was revoked', run }) })
  }
  return notRequired('there is no baseline to compare with')
}

/** Whether only a comparison with an approved state can find it. */
function isByApproval({ rule, originRun }: ActiveViolation, needs: RuleNeeds): boolean {
  const life = needs.get(rule)?.life
  return life === 'approved' || (life === 'restored' && originRun === undefined)
}

function endingsOfUnprobed(
  active: readonly ActiveViolation[],
  outcome: ProjectOutcome,
  needs: RuleNeeds,
): (readonly [string, Ending])[] {
  const unprobed = new Set(outcome.unprobed)
  return active.flatMap((violation) =>
    unprobed.has(resourceKey(violation)) && needsProbe(needs.get(violation.rule))
      ? [[keyOf(violation), endingOfUnprobed] as const]
      : [],
  )
}

/** Whether the state of a resource that was approved when a person accepted a difference from it is compared with still. */
function isComparedSince(acceptance: Acceptance, expected: ExpectedState | undefined): boolean {
  if (expected === undefined) return false
  const approval = expected.approvalOf(acceptance)
  return approval === undefined || approval.at <= acceptance.at
}

function needsProbe(needs: Needs | undefined): boolean {
  return needs?.kinds.includes('probe') === true
}

function isOfRun(scope: Needs['scope'] | undefined): boolean {
  return scope === 'fleet' || scope === 'violations'
}

function ignoredBy(ignored: readonly IgnoredPath[], path: string): IgnoredPath | undefined {
  return ignored.find((one) => isIgnoredBy(one, path))
}
