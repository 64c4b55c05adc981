import type { Acceptance } from '../history/acceptances.ts'
import type { Draft, ScanDraft } from '../history/history.ts'
import { readLaterRuns } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import type { ActiveViolation, OldViolation } from '../history/staged.ts'
import { decidedBy, type Ending } from '../model/ending.ts'
import { pointerStep } from '../model/json.ts'
import { isProjectList, type ProjectRef, policyProject, projectKey, resourceKey } from '../model/resource.ts'
import type { RunScope } from '../model/run-scope.ts'
import { isoTime } from '../model/time.ts'
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
import type { RuleNeeds } from '../policy/policy.ts'
import type { OverdueViolations } from '../rules/engine/rule.ts'
import type { ConcludedProject, FleetConclusion, ProjectConclusion } from './fleet-conclusion.ts'
import { isAboutMasked } from './masked-secrets.ts'
import type { OpenRun } from './open-run.ts'
import { type AsLeft, bareResource, byPolicy, endingOfFleet, switchesOf } from './policy-endings.ts'
import { ProjectAcceptances } from './project-acceptances.ts'
import { byKey, keyed, keyOf, reconcile } from './reconcile.ts'
import { writeReconciliation } from './write-violations.ts'

/** A run when all its projects are audited. */
export interface EndOfRun extends Pick<OpenRun, 'policy' | 'now' | 'evaluator'> {
  /** Lists of projects of which something was drafted. */
  readonly lists: readonly ProjectRef[]
}

/** Decides what becomes of the violations that only the end of a run decides, and drafts it. */
export async function writeConclusion(
  draft: Draft,
  { projects, waivers, context }: FleetConclusion,
  run: EndOfRun & { readonly scope: RunScope },
): Promise<void> {
  const { evaluator, lists } = run
  const { needs } = waivers.criteria
  const fleetRules = [...needs].flatMap(([rule, { scope }]) => (scope === 'fleet' ? [rule] : []))
  const active = await draft.unconfirmedBy(
    fleetRules,
    projects.map(({ project }) => project),
  )
  const accepted = await draft.acceptancesOf(projects.map(({ project }) => project))
  const isAnySilent = projects.some((concluded) => isSilent(concluded, active.get(concluded.project.name) ?? []))
  const scans = isAnySilent ? await readLatestScans(draft.past, draft.run - 1) : []
  for (const concluded of projects) {
    const ended = endingsOfFleet(concluded.project, { active, projects, scans })
    const endingOf = (violation: Finding) => ended.get(keyOf(violation))
    const ofFleet = { ...concluded, criteria: { ...concluded.criteria, endingOf } }
    await writeConcluded(draft, ofFleet, { active, accepted, scope: 'fleet', evaluator })
  }
  const scanned = [...projects.map(({ project }) => project), ...lists]
  await writeOverdue(draft, scanned, run)
  await writeWaivers(draft, waivers, run)
  for (const concluded of projects) await noteFailures(draft, concluded, needs)
  await draft.stageContext({ ...context, scope: run.scope })
}

/** Whether a violation was not found again. */
function isSilent({ findings }: ProjectConclusion, active: readonly ActiveViolation[]): boolean {
  if (active.length === 0) return false
  const found = new Set(findings.map(keyOf))
  return active.some((violation) => !found.has(keyOf(violation)))
}

/**
 * How violations of rules across projects end where a project that the run which found them last knew is not part of the
 * fleet any longer: whether the two have something in common still cannot be said, so it is not mended.
 */
function endingsOfFleet(
  project: ProjectRef,
  {
    active,
    projects,
    scans,
  }: Pick<ConclusionFacts, 'active'> & Pick<FleetConclusion, 'projects'> & { readonly scans: readonly RecordedScan[] },
): ReadonlyMap<string, Ending> {
  const scanned = new Set(projects.map((one) => projectKey(one.project)))
  const left = scans.filter((scan) => !isProjectList(scan.project) && !scanned.has(projectKey(scan.project)))
  const lastScan = scans.find((scan) => projectKey(scan.project) === projectKey(project))?.run.number
  const endings = (active.get(project.name) ?? []).flatMap((violation) => {
    const { lastRun = lastScan } = violation
    const other = left.find(({ run }) => lastRun !== undefined && run.number >= lastRun)
    return other === undefined ? [] : [[keyOf(violation), endingOfFleet(other.project)] as const]
  })
  return new Map(endings)
}

interface ConclusionFacts {
  /** By the project's name. */
  readonly active: ReadonlyMap<string, readonly ActiveViolation[]>
  readonly accepted: ReadonlyMap<string, readonly Acceptance[]>
  /** Of the rules that concluded. */
  readonly scope: 'fleet' | 'violations'
  readonly evaluator: PolicyEvaluator
}

async function writeConcluded(
  draft: ScanDraft,
  { project, findings, criteria }: ProjectConclusion,
  { active, accepted, scope, evaluator }: ConclusionFacts,
): Promise<void> {
  const ofProject = active.get(project.name) ?? []
  const acceptancesOf = accepted.get(project.name) ?? []
  if (findings.length + ofProject.length + acceptancesOf.length === 0) return
  const acceptances = new ProjectAcceptances(project, acceptancesOf)
  const keyedFindings = acceptances.apply(findings).map(keyed)
  const asLeft = await readAsLeft(draft, project, [...ofProject, ...acceptances.findings])
  const decided = {
    ...criteria,
    switchOf: switchesOf(project, asLeft, evaluator),
    isUnobserved: (violation: Finding) =>
      criteria.isUnobserved(violation) || isAboutMasked(violation, asLeft, criteria),
  }
  acceptances.endRestored(decided, (_, needs) => needs.scope === scope)
  const endings = new Map([...criteria.endings, ...acceptances.endingsOf(ofProject)])
  const reconciliation = reconcile(byKey(ofProject), keyedFindings, { ...decided, endings })
  await writeReconciliation(draft, project, reconciliation)
  await draft.endAcceptances(project, acceptances.endings)
}

/** The resources of some violations, as the run leaves them. */
async function readAsLeft(draft: ScanDraft, project: ProjectRef, violations: readonly Finding[]): Promise<AsLeft> {
  const points = violations.map(({ kind, uid }) => ({ kind, uid, run: draft.run }))
  const versions = points.length === 0 ? [] : await draft.versionsAt(project, points)
  const byResource = new Map(violations.map((violation, at) => [resourceKey(violation), versions[at]]))
  return (resource) => byResource.get(resourceKey(resource))
}

/** Draws up what is overdue, when all other violations are decided. */
async function writeOverdue(
  draft: ScanDraft,
  refs: readonly ProjectRef[],
  { policy, now, evaluator }: EndOfRun,
): Promise<void> {
  // Where the policy has it off, its violations have ended with their projects.
  if (!evaluator.needs.has(overdueRule)) return
  const { due } = policy
  const before = overdueBefore(due, now)
  const active = await draft.unconfirmedBy([overdueRule], refs)
  const accepted = await draft.acceptancesOf(refs)
  const openedIn = [...active.values()].flat().map(({ firstRun }) => firstRun)
  const laterRuns = await readLaterRuns(draft.past, [...new Set(openedIn)], isoTime(now))
  for (const project of refs) {
    const old = await draft.oldViolations(project, before)
    const ofProject = active.get(project.name) ?? []
    const isOfLaterTime = ({ firstRun }: ActiveViolation) => laterRuns.has(firstRun)
    const concluded = concludeOverdue(project, { old, active: ofProject, isOfLaterTime }, { evaluator, due, now })
    await writeConcluded(draft, concluded, { active, accepted, scope: 'violations', evaluator })
  }
}

/** The report says that a rule did not evaluate, and whether that is our bug or a matter of the policy. */
async function noteFailures(draft: Draft, { project, failures }: ConcludedProject, needs: RuleNeeds): Promise<void> {
  for (const [rule, why] of Object.entries(failures)) {
    const isCustom = needs.get(rule)?.isCustom === true
    const text = isCustom
      ? `the custom rule ${rule} could not evaluate everything, so it may have missed violations: ${why}`
      : `the rule ${rule} failed and evaluated nothing (a bug, please report it): ${why}`
    await draft.stageNotice(project, { code: isCustom ? 'custom_rule_failed' : 'rule_failed', listing: null, text })
  }
}

async function writeWaivers(
  draft: ScanDraft,
  { findings, criteria }: ProjectConclusion,
  { policy, evaluator }: EndOfRun,
): Promise<void> {
  const active = await draft.unconfirmedViolations(policyProject)
  // Nothing is written where there never was a waiver.
  if (policy.waivers.length === 0 && active.length === 0) return
  await draft.stageScan(policyProject)
  const switchOf = switchesOf(policyProject, () => undefined, evaluator)
  const reconciliation = reconcile(byKey(active), findings.map(keyed), { ...criteria, switchOf })
  await writeReconciliation(draft, policyProject, reconciliation)
}

/** A violation as a run leaves it, as far as its due date needs it. */
type AgedViolation = Pick<OldViolation, 'rule' | 'kind' | 'severity' | 'state' | 'waiver' | 'first_seen' | 'ending'>

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
function concludeOverdue<Active extends Finding>(
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
function overdueBefore(due: DueDurations, now: number): Readonly<Partial<Record<Severity, string>>> {
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
