import { compareWithOrigins, type FollowedViolation } from '../audit/compare-with-origins.ts'
import { isWhole, type ProjectOutcome } from '../audit/project-outcome.ts'
import { isKindComplete } from '../audit/project-scan.ts'
import { type KeyedFinding, keyed } from '../audit/reconcile.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { CompleteScans } from '../history/records.ts'
import type { RunInputs } from '../history/sql/read-run.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type RecordedScan, readCompleteScans } from '../history/sql/scans.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import { chunks } from '../model/chunks.ts'
import {
  type Kind,
  type ProjectRef,
  projectKey,
  type Resource,
  type ResourceKey,
  resourceKey,
} from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import { isMassRemoval } from '../rules/project/mass-removal.ts'
import { evaluateVersions } from './evaluate-version.ts'
import {
  type FleetState,
  type Losses,
  markAsCompared,
  projectState,
  type ReplayedVersion,
  walkThrough,
} from './fleet-state.ts'
import type { ChangedScan, ChangeLog } from './historical-drift.ts'
import { findLasting, keepLasting } from './lasting-scan.ts'
import { type Evidence, observationOf } from './observation.ts'
import { rememberOrigins } from './remember-origins.ts'
import { findDriftRules, findUnreplayableIn } from './unreplayable-rules.ts'

interface ScanReplay extends Pick<ChangedScan, 'changes'> {
  readonly policy: Policy
  /** Rules that no past run can be asked. */
  readonly unreplayable: ReadonlyMap<string, string>
  readonly evaluator: PolicyEvaluator
  readonly history: HistoryReader
  readonly run: CommittedRun
  readonly runInputs: RunInputs
  readonly evidence: Evidence
  readonly fleet: FleetState
  readonly losses: Losses
  readonly log: ChangeLog
  labelsOf(project: ProjectRef): Labels
  /** What the run found removed, by the name that the project had then. */
  readonly removed: ReadonlyMap<string, RunInputs['changes']>
  /** Violations of a project so far that a comparison with an earlier version decides. */
  followed(project: ProjectRef): readonly FollowedViolation[]
  /** Whether an approved baseline was in force. */
  isApproved(project: ProjectRef): boolean
}

export interface ReplayedScan {
  readonly outcome: ProjectOutcome
  readonly findings: readonly KeyedFinding[]
}

/** Versions that are compared with earlier ones at once. */
const comparedAtOnce = 100

/** Evaluates what the scan of a project by a past run can be shown to have seen. */
export async function replayScan(scan: RecordedScan, replaying: ScanReplay): Promise<ReplayedScan> {
  const { policy, evaluator, history, run, runInputs, evidence, fleet, losses, log } = replaying
  const { project } = scan
  const now = Date.parse(run.startedAt)
  const { statuses, narrowed, observed, sawAll } = observationOf(scan, runInputs, evidence)
  const state = projectState(fleet, projectKey(project))
  const isApproved = replaying.isApproved(project)
  const evaluatedThen = runInputs.projects.find((one) => one.project === project.name)
  const isUnrecorded = (evaluatedThen?.ignore ?? []).some((path) => !policy.ignore.some((one) => one.path === path))
  const labels = replaying.labelsOf(project)
  const changed = { run, project, sealKeyId: runInputs.sealKeyId, changes: replaying.changes }
  const changes = isApproved ? undefined : log.changesIn(changed)
  const followed = isApproved ? [] : replaying.followed(project)
  const outcomeWith = (decided: ReplayOutcome): ProjectOutcome => ({
    project,
    labels,
    configuredAt: evaluatedThen?.configuredAt ?? null,
    statuses,
    narrowed,
    ...(evaluatedThen?.uiUrl === undefined ? {} : { uiUrl: evaluatedThen.uiUrl }),
    removed: (replaying.removed.get(project.name) ?? []).map(resourceKey),
    changed: [],
    ignored: {},
    isUnderOtherRules: false,
    // Rules that need probes are not asked at all.
    untested: [],
    probed: [],
    ...decided,
  })

  const { versions, kinds } = walkThrough(state)
  const context = JSON.stringify([project, statuses, narrowed, isApproved, isUnrecorded])
  const isQuiet = sawAll(kinds) && followed.length === 0 && changes?.hasAny !== true
  const lasting = isQuiet ? findLasting(state.lasting, { context, labels, now }) : undefined
  if (lasting !== undefined) {
    const { findings, evaluation } = lasting
    return { findings, outcome: outcomeWith({ unobserved: [], endings: {}, undecided: [], evaluation }) }
  }

  const seen: ReplayedVersion[] = []
  const unobserved: ResourceKey[] = []
  for (const version of versions) {
    if (observed(version)) seen.push(version)
    else unobserved.push(version.key)
  }
  const self = seen.find(({ resource }) => resource.kind === 'project')?.resource ?? unseenProject(project)
  const limits = evaluator.optionsOf(project, self, 'project/mass-removal')
  const couldBeWithheld = couldHaveBeenWithheld(scan, losses, versions, limits)
  const excluded = new Map([
    ...replaying.unreplayable,
    ...findUnreplayableIn(policy, [
      ...(isApproved ? (['drift'] as const) : []),
      ...(couldBeWithheld ? (['scan'] as const) : []),
    ]),
    ...(isUnrecorded ? findDriftRules(policy) : []),
  ])
  const ofProject = evaluator.forProject(project, excluded, state.facts)
  const findings = await evaluateVersions(seen, {
    evaluator,
    ofProject,
    labels,
    waivers: policy.waivers,
    history,
    run,
  })
  for (const { resource } of seen) ofProject.collect(resource)

  const { versionsAt, used } = rememberOrigins(state.origins, (points) => readVersionsAt(history, project, points))
  state.origins = used
  const origins = compareWithOrigins(followed, {
    now,
    sealKeyId: runInputs.sealKeyId,
    ofProject,
    ignored: policy.ignore,
    versionsAt,
    approvalOf: () => undefined,
    // The history has resources in the form that the run compared.
    reform: (_, attributes) => attributes,
  })
  const followedKeys = new Set(followed.map(resourceKey))
  const compared = seen.filter(({ key }) => changes?.has(key) === true || followedKeys.has(key))
  let lastComplete: CompleteScans | undefined
  for (const some of chunks(compared, comparedAtOnce)) {
    const drifts = await log.driftsOf(some, changed)
    const drifted: Finding[] = []
    for (const [at, { resource }] of some.entries()) {
      const drift = drifts[at]
      // Most drift breaks no rule: only what does is worth asking the history what it is compared with.
      if (drift === undefined || ofProject.compare(resource, drift).length === 0) continue
      lastComplete ??= await readCompleteScans(history, project, run.number - 1)
      drifted.push(...ofProject.compare(resource, drift, lastComplete[resource.kind]?.run))
    }
    const resources = some.map(({ resource }) => resource)
    findings.push(...(await origins.decide(resources, drifted)).map(keyed))
  }
  const isComplete = (kind: Kind) => isWhole({ statuses, narrowed }, kind)
  for (const finding of ofProject.conclude({ isComplete })) findings.push(keyed(finding))
  markAsCompared(state, (kind) => isKindComplete(statuses, kind))
  const kept = { findings, context, labels }
  const concluded = { ...kept, ofProject, excluded, versions, waivers: policy.waivers, now }
  state.lasting = sawAll(kinds) && compared.length === 0 && !couldBeWithheld ? keepLasting(concluded) : undefined
  return {
    findings,
    outcome: outcomeWith({
      unobserved,
      endings: Object.fromEntries(origins.endings),
      undecided: [...origins.undecided],
      evaluation: ofProject.outcome(),
    }),
  }
}

type ReplayOutcome = Pick<ProjectOutcome, 'unobserved' | 'endings' | 'undecided' | 'evaluation'>

function unseenProject({ uid }: ProjectRef): Resource {
  return { kind: 'project', uid, name: '', attributes: {}, volatile: {}, facts: {} }
}

/** Whether rules about the scan itself may have found something: it was incomplete, or so much was gone. */
function couldHaveBeenWithheld(
  { project, coverage }: RecordedScan,
  losses: Losses,
  versions: readonly ReplayedVersion[],
  limits: Parameters<typeof isMassRemoval>[1] | undefined,
): boolean {
  if (coverage.some(({ status }) => status !== 'complete' && status !== 'skipped')) return true
  const lost = losses.get(projectKey(project))
  if (lost === undefined || limits === undefined) return false
  const left = new Map<Kind, number>()
  for (const { resource } of versions) left.set(resource.kind, (left.get(resource.kind) ?? 0) + 1)
  return [...lost].some(([kind, missing]) => isMassRemoval({ missing, known: missing + (left.get(kind) ?? 0) }, limits))
}
