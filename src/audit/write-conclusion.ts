import type { Acceptance } from '../history/acceptances.ts'
import type { Draft, ScanDraft } from '../history/history.ts'
import { readLaterRuns } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import type { ActiveViolation } from '../history/staged.ts'
import type { Ending } from '../model/ending.ts'
import { isProjectList, type ProjectRef, policyProject, projectKey, resourceKey } from '../model/resource.ts'
import type { RunScope } from '../model/run-scope.ts'
import { isoTime } from '../model/time.ts'
import { type Finding, overdueRule } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { RuleNeeds } from '../policy/policy.ts'
import { concludeOverdue, overdueBefore } from './conclude-overdue.ts'
import type { ConcludedProject, FleetConclusion, ProjectConclusion } from './fleet-conclusion.ts'
import { isAboutMasked } from './masked-secrets.ts'
import type { OpenRun } from './open-run.ts'
import { type AsLeft, endingOfFleet, switchesOf } from './policy-endings.ts'
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
