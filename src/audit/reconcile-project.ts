import type { Acceptance } from '../history/acceptances.ts'
import type { NamedVersion, ViolationDraft } from '../history/history.ts'
import { listApprovalsOf } from '../history/sql/approvals.ts'
import { lacksRunsSince, readRunTimes } from '../history/sql/runs.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import type { ActiveViolation } from '../history/staged.ts'
import type { StoredBody } from '../history/stored-body.ts'
import { diffAttributes, hiddenBySeals } from '../inventory/diff-attributes.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { bodiesAtOnce, chunks } from '../model/chunks.ts'
import { decidedAt, decidedBy, type Ending, fixed } from '../model/ending.ts'
import { isEqual } from '../model/json.ts'
import { type Kind, type ProjectRef, type Resource, resourceKey } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import { type IgnoredPath, isIgnoredBy, leaveOutIgnored } from '../policy/ignored-paths.ts'
import type { Needs, RuleNeeds } from '../policy/policy.ts'
import type { RuleSwitch } from '../policy/rule-switch.ts'
import { acceptedPaths, touches } from '../rules/accepted-values.ts'
import type { Reform } from './comparison.ts'
import { projectCriteria } from './conclude-fleet.ts'
import { baselineOf, type ExpectedState } from './expected-state.ts'
import { readMasked } from './masked-secrets.ts'
import {
  bareResource,
  byPolicy,
  endingOfIgnored,
  endingOfReported,
  endingOfUnprobed,
  readSwitches,
} from './policy-endings.ts'
import { asFinding, type ProjectAcceptances } from './project-acceptances.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import { byKey, keyed, keyOf, reconcile } from './reconcile.ts'
import { writeReconciliation } from './write-violations.ts'

/**
 * Decides what becomes of a project's violations when its scan has ended, and drafts it. Violations of rules across
 * projects, and of rules about violations, are left for the end of the run. Returns those that could not be checked.
 */
export async function reconcileProject(
  draft: ViolationDraft,
  outcome: ProjectOutcome,
  findings: readonly Finding[],
  { evaluator, acceptances, expected, ignored, reform, hasChanged, now }: Decisions,
): Promise<readonly ActiveViolation[]> {
  const { project } = outcome
  const { needs } = evaluator
  const sinceOf = (ms: number) => new Date(Math.max(0, ms - evaluator.lookbackMs)).toISOString()
  const isOfState = ({ rule }: Finding) => needs.get(rule)?.life === 'approved'
  const isOfResource = ({ rule }: Finding) => needs.get(rule)?.scope === 'resource'
  const unconfirmed = await draft.unconfirmedViolations(project)
  const active = unconfirmed.filter(({ rule }) => !isOfRun(needs.get(rule)?.scope))
  // Of what is accepted, too, the scan may show that it is gone.
  const decidable = [...active, ...acceptances.findings]
  const criteria = projectCriteria(outcome, needs)
  // What was found in a field that the policy ignores now is not fixed.
  const ignoredEndings = active.flatMap((violation) => {
    const by = needs.get(violation.rule)?.scope === 'drift' ? ignoredBy(ignored, violation.path) : undefined
    return by === undefined ? [] : [[keyOf(violation), endingOfIgnored(by, evaluator)] as const]
  })
  // Without an approved state, the policy asks for no comparison with one.
  const unasked = expected !== undefined ? [] : active.filter((violation) => isByApproval(violation, needs))
  const withoutBaseline = unasked.length === 0 ? fixed : await endingOfBaseline(draft, project)
  const unprobed = new Set(outcome.unprobed)
  const isUnprobed = (violation: Finding) =>
    unprobed.has(resourceKey(violation)) && needsProbe(needs.get(violation.rule))
  const endings = new Map([
    ...ignoredEndings,
    ...criteria.endings,
    ...active.filter(isUnprobed).map((violation) => [keyOf(violation), endingOfUnprobed] as const),
    ...unasked.map((violation) => [keyOf(violation), withoutBaseline] as const),
  ])
  const switchOf = await readSwitches(draft, project, decidable, evaluator)
  const isOfRecent = ({ rule }: Finding) => needs.get(rule)?.life === 'found'
  const ofResources = decidable.filter((one) => isOfResource(one) || isOfRecent(one))
  const loosened = await readLoosened(draft, project, ofResources, { evaluator, reform })
  const differing = await readDifferences(draft, project, decidable.filter(isOfState), {
    evaluator,
    expected,
    ignored,
    reform,
    switchOf,
  })
  const { differingEndings } = differing
  const covered = await findCovered(draft, project, active, { needs, expected, differingEndings })
  const approved = new Set(covered.map(keyOf))
  const ofSeveral = decidable.filter(({ rule }) => needs.get(rule)?.scope === 'project')
  const untouched = await findUntouched(draft, project, ofSeveral, { needs, hasChanged })
  // What changed lately cannot be counted where it was pruned.
  const isBlind =
    now !== undefined && active.some(isOfRecent) && (await lacksRunsSince(draft.past, sinceOf(now), draft.run))
  const isMasked = await readMasked(draft, project, decidable, criteria)
  const decided = {
    ...criteria,
    endings,
    differingEndings: new Map([
      ...differing.differingEndings,
      ...[...untouched, ...active.filter((one) => isOfRecent(one) && loosened.has(keyOf(one)))].map(
        (violation) => [keyOf(violation), byPolicy(switchOf(violation))] as const,
      ),
    ]),
    isLoosened: (violation: Finding) => loosened.has(keyOf(violation)),
    isUnobserved: (violation: Finding) =>
      criteria.isUnobserved(violation) ||
      differing.uncompared.has(keyOf(violation)) ||
      isMasked(violation) ||
      (isBlind && isOfRecent(violation)),
    approvedBy: (violation: Finding) =>
      expected !== undefined && expected !== 'unread' && approved.has(keyOf(violation))
        ? baselineOf(expected, violation)
        : undefined,
    switchOf,
  }
  const dueProbes = new Set(outcome.dueProbes)
  acceptances.endRestored(decided, (acceptance, needs) => {
    if (isOfRun(needs.scope) || ignoredBy(ignored, acceptance.path) !== undefined) return false
    if (needsProbe(needs) && !dueProbes.has(resourceKey(acceptance))) return criteria.isRemoved(asFinding(acceptance))
    return needs.life !== 'approved' || isComparedSince(acceptance, expected)
  })
  const reconciliation = reconcile(byKey(active), findings.map(keyed), {
    ...decided,
    endings: new Map([...endings, ...acceptances.endingsOf(active)]),
  })
  await writeReconciliation(draft, project, reconciliation)
  await acceptances.write(draft)
  return reconciliation.unknown
}

/** Whether the state of a resource that was approved when a person accepted a difference from it is compared with still. */
function isComparedSince(acceptance: Acceptance, expected: Decisions['expected']): boolean {
  if (expected === undefined || expected === 'unread') return false
  const approval = expected.approvalOf(acceptance)
  return approval === undefined || approval.at <= acceptance.at
}

function needsProbe(needs: Needs | undefined): boolean {
  return needs?.kinds.includes('probe') === true
}

function isOfRun(scope: Needs['scope'] | undefined): boolean {
  return scope === 'fleet' || scope === 'violations'
}

interface Decisions {
  readonly evaluator: PolicyEvaluator
  readonly acceptances: ProjectAcceptances
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  /** For a comparison with the approved state. */
  readonly reform?: Reform | undefined
  /** Start of the run, in milliseconds since the epoch. Default: nothing that changed lately is counted. */
  readonly now?: number | undefined
  /** Whether the scan showed something else of a kind than a run did. Default: it may have. */
  readonly hasChanged?: ((kind: Kind, since: number) => boolean) | undefined
  /** `unread`: nothing of the project is kept, so nothing is known of its approved state. */
  readonly expected: ExpectedState | 'unread' | undefined
}

function ignoredBy(ignored: readonly IgnoredPath[], path: string): IgnoredPath | undefined {
  return ignored.find((one) => isIgnoredBy(one, path))
}

/**
 * What silent violations of rules about the approved state as a whole are about still: the resource may differ in fields
 * that the policy ignores now, or that other rules report. `uncompared`: that cannot be said, because of secrets that
 * were sealed under another installation key, or in another form.
 */
async function readDifferences(
  draft: Pick<ViolationDraft, 'run' | 'versionsAt'>,
  project: ProjectRef,
  violations: readonly Finding[],
  { evaluator, expected, ignored, reform, switchOf }: DifferenceBasis,
): Promise<{ readonly differingEndings: ReadonlyMap<string, Ending>; readonly uncompared: ReadonlySet<string> }> {
  const differingEndings = new Map<string, Ending>()
  const uncompared = new Set<string>()
  if (expected === undefined || expected === 'unread' || reform === undefined) return { differingEndings, uncompared }
  for (const batch of chunks(violations, bodiesAtOnce)) {
    const approved = await expected.bodies(batch)
    const stored = await draft.versionsAt(project, pointsAt(batch, draft.run))
    for (const [at, violation] of batch.entries()) {
      const [body, version] = [approved[at], stored[at]]
      if (body === undefined || version === undefined) continue
      const key = keyOf(violation)
      const before = reform(violation.kind, body.attributes)
      const after = version.attributes
      const sealsComparable = body.sealKeyId === version.sealKeyId
      const all = diffAttributes(violation.kind, before, after, { sealsComparable })
      const { fields, ignoredCounts: paths } = leaveOutIgnored(ignored, { before, after, fields: all })
      const by = ignored.find(({ path }) => paths.has(path))
      if (fields.length > 0) differingEndings.set(key, endingOfReported(switchOf(violation)))
      else if (by !== undefined) differingEndings.set(key, endingOfIgnored(by, evaluator))
      else if (hiddenBySeals(before, after, { sealsComparable }).length > 0) uncompared.add(key)
    }
  }
  return { differingEndings, uncompared }
}

/**
 * Violations of rules about one resource that another policy found last, or the same one with other options for what the
 * resource was called then, and that today's options would not find in the resource as it was: they ended without being
 * mended. Where that cannot be said, what they are about must be the same. `lastRun`: the run that found it last, where the
 * last scan did not.
 */
async function readLoosened(
  draft: Pick<ViolationDraft, 'run' | 'past' | 'versionsAt' | 'lastScannedRun' | 'underSameRules'>,
  project: ProjectRef,
  violations: readonly (Finding & { readonly lastRun?: number | undefined })[],
  { evaluator, reform }: Pick<Decisions, 'evaluator' | 'reform'>,
): Promise<ReadonlySet<string>> {
  const loosened = new Set<string>()
  const lastScan = violations.length === 0 ? undefined : await draft.lastScannedRun(project)
  if (lastScan === undefined || reform === undefined) return loosened
  const same = await draft.underSameRules([...new Set(violations.map(({ lastRun = lastScan }) => lastRun))])
  const mayBeLoosened = violations.filter(
    ({ rule, lastRun = lastScan }) => !same.has(lastRun) || evaluator.overridden.has(rule),
  )
  for (const batch of chunks(mayBeLoosened, bodiesAtOnce)) {
    const points = batch.map(({ kind, uid, lastRun = lastScan }) => ({ kind, uid, run: lastRun }))
    const then = await readVersionsAt(draft.past, project, points)
    const now = await draft.versionsAt(
      project,
      points.map((point) => ({ ...point, run: draft.run })),
    )
    for (const [at, violation] of batch.entries()) {
      const current = now[at]
      if (current !== undefined && isLoosened(violation, then[at], current)) loosened.add(keyOf(violation))
    }
  }
  return loosened

  function isLoosened(
    violation: (typeof violations)[number],
    stored: StoredBody | undefined,
    { name, attributes, sealKeyId }: NamedVersion,
  ): boolean {
    const { kind, rule, lastRun = lastScan } = violation
    const isSamePolicy = lastRun !== undefined && same.has(lastRun)
    if (stored === undefined) return !isSamePolicy
    const before = reform?.(kind, stored.attributes) ?? stored.attributes
    const then = { ...bareResource({ ...violation, name: stored.name }), attributes: before, facts: stored.facts }
    const today = { ...bareResource({ ...violation, name }), attributes }
    const optionsFor = (resource: Resource) => canonicalJson(evaluator.optionsOf(project, resource, rule) ?? null)
    if (isSamePolicy && optionsFor(then) === optionsFor(today)) return false
    if (evaluator.needs.get(rule)?.life === 'found') return !evaluator.countsAlike(project, today, violation)
    // The same function gives something else for another payload, or meets another expectation.
    if (kind === 'probe' && before.function_digest === attributes.function_digest) return true
    const isFound = evaluator.finds(project, then, violation, today)
    if (isFound !== undefined) return !isFound
    const sealsComparable = stored.sealKeyId === sealKeyId
    const fields = diffAttributes(kind, before, attributes, { sealsComparable })
    const paths = acceptedPaths(violation)
    return paths.length === 0 ? fields.length === 0 : !fields.some(({ path }) => touches(paths, path))
  }
}

/**
 * Violations of rules across resources that another policy found last, and that are not mended: none of the resources that
 * they read has changed since. `lastRun`: as for `readLoosened`.
 */
async function findUntouched<Violation extends Finding & { readonly lastRun?: number | undefined }>(
  draft: Pick<ViolationDraft, 'lastScannedRun' | 'underSameRules'>,
  project: ProjectRef,
  violations: readonly Violation[],
  { needs, hasChanged }: { readonly needs: RuleNeeds } & Pick<Decisions, 'hasChanged'>,
): Promise<readonly Violation[]> {
  const lastScan = violations.length === 0 ? undefined : await draft.lastScannedRun(project)
  if (lastScan === undefined || hasChanged === undefined) return []
  const untouched = violations.filter(({ rule, lastRun = lastScan }) => {
    const { kinds = [], isUnrecorded = false } = needs.get(rule) ?? {}
    // What a probe gives follows from a function and from the policy.
    return !isUnrecorded && !kinds.some((kind) => kind !== 'probe' && hasChanged(kind, lastRun))
  })
  const same = await draft.underSameRules([...new Set(untouched.map(({ lastRun = lastScan }) => lastRun))])
  return untouched.filter(({ lastRun = lastScan }) => !same.has(lastRun))
}

interface DifferenceBasis extends Pick<Decisions, 'evaluator' | 'expected' | 'ignored' | 'reform'> {
  switchOf(violation: Finding): RuleSwitch
}

/** A violation that only a comparison with a baseline could find, where there is none any longer. */
async function endingOfBaseline(draft: ViolationDraft, project: ProjectRef): Promise<Ending> {
  const approvals = await listApprovalsOf(draft.past, project)
  const { run, revoked } = approvals.findLast(({ confirms }) => confirms === undefined) ?? {}
  return byPolicy({
    ended_by:
      revoked === undefined
        ? decidedAt('rule_off', { reason: 'there is no baseline to compare with', configuredAt: null })
        : decidedBy('baseline', { ...revoked, reason: 'the baseline was revoked', run }),
  })
}

/** Whether only a comparison with an approved state can find it. */
function isByApproval({ rule, originRun }: ActiveViolation, needs: RuleNeeds): boolean {
  const life = needs.get(rule)?.life
  return life === 'approved' || (life === 'restored' && originRun === undefined)
}

/**
 * Violations of the approved state that it has by now: it is not older than they are, or was approved since they were found
 * and the resource is as it was then.
 */
async function findCovered(
  draft: Pick<ViolationDraft, 'past' | 'run' | 'versionsAt'>,
  project: ProjectRef,
  violations: readonly ActiveViolation[],
  { needs, expected, differingEndings }: CoverBasis,
): Promise<readonly ActiveViolation[]> {
  if (expected === undefined || expected === 'unread') return []
  const ofState = violations.filter(({ rule }) => needs.get(rule)?.life === 'approved')
  const isOfRun = (one: ActiveViolation) => (expected.runOf(one) ?? 0) >= one.firstRun
  const isSame = (one: ActiveViolation) => !differingEndings.has(keyOf(one))
  const older = ofState.filter((one) => !isOfRun(one) && isSame(one) && expected.approvalOf(one) !== undefined)
  if (older.length === 0) return ofState.filter(isOfRun)
  const firstRuns = await readRunTimes(
    draft.past,
    older.map(({ firstRun }) => firstRun),
  )
  const since = older.filter(
    (one) => (expected.approvalOf(one)?.at ?? '') > (firstRuns.get(one.firstRun)?.started_at ?? '~'),
  )
  const covered = ofState.filter(isOfRun)
  for (const batch of chunks(since, bodiesAtOnce)) {
    const before = await draft.versionsAt(project, pointsAt(batch, draft.run - 1))
    const now = await draft.versionsAt(project, pointsAt(batch, draft.run))
    const isUnchanged = (_: unknown, at: number) => isEqual(before[at]?.attributes ?? null, now[at]?.attributes ?? null)
    covered.push(...batch.filter(isUnchanged))
  }
  return covered
}

export function pointsAt(resources: readonly Pick<Finding, 'kind' | 'uid'>[], run: number) {
  return resources.map(({ kind, uid }) => ({ kind, uid, run }))
}

interface CoverBasis extends Pick<Decisions, 'expected'> {
  readonly needs: RuleNeeds
  /** Of what differs from the approved state still. */
  readonly differingEndings: ReadonlyMap<string, Ending>
}
