import { compareWithOrigins, type FollowedViolation } from '../audit/compare-with-origins.ts'
import { isWhole, type ProjectOutcome } from '../audit/project-outcome.ts'
import { isKindComplete } from '../audit/project-scan.ts'
import { type KeyedFinding, keyed } from '../audit/reconcile.ts'
import type { CommittedRun, HistoryReader, RecordedScan, RunInputs } from '../history/reader.ts'
import { chunks } from '../model/chunks.ts'
import { projectKey, type ResourceKey, resourceKey } from '../model/keys.ts'
import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import { isMassRemoval } from '../rules/project/mass-removal.ts'
import { evaluateVersions } from './evaluate-version.ts'
import { type FleetState, type Losses, markAsCompared, projectState, type ReplayedVersion } from './fleet-state.ts'
import type { ChangedScan, ChangeLog } from './historical-drift.ts'
import { type Evidence, observationOf } from './observation.ts'
import { findDriftRules, findUnreplayableIn } from './unreplayable-rules.ts'

interface Replaying extends Pick<ChangedScan, 'changes'> {
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
  readonly findings: KeyedFinding[]
}

/** Versions whose past is read at once. */
const evaluatedAtOnce = 100

/** Evaluates what the scan of a project by a past run can be shown to have seen. */
export async function replayScan(scan: RecordedScan, replaying: Replaying): Promise<ReplayedScan> {
  const { policy, evaluator, history, run, runInputs, evidence, fleet, losses, log } = replaying
  const { project } = scan
  const { statuses, narrowed, observed } = observationOf(scan, runInputs, evidence)
  const state = projectState(fleet, projectKey(project))
  const seen: ReplayedVersion[] = []
  const unobserved: ResourceKey[] = []
  for (const version of inWalkingOrder(state.versions)) {
    if (observed(version)) seen.push(version)
    else unobserved.push(resourceKey(version.resource))
  }
  const isApproved = replaying.isApproved(project)
  const self = seen.find(({ resource }) => resource.kind === 'project')?.resource ?? unseenProject(project)
  const limits = evaluator.optionsOf(project, self, 'project/mass-removal')
  const couldBeWithheld = couldHaveBeenWithheld(scan, losses, state.versions.values(), limits)
  const evaluatedThen = runInputs.projects.find((one) => one.project === project.name)
  const isUnrecorded = (evaluatedThen?.ignore ?? []).some((path) => !policy.ignore.some((one) => one.path === path))
  const excluded = new Map([
    ...replaying.unreplayable,
    ...findUnreplayableIn(policy, [
      ...(isApproved ? (['drift'] as const) : []),
      ...(couldBeWithheld ? (['scan'] as const) : []),
    ]),
    ...(isUnrecorded ? findDriftRules(policy) : []),
  ])
  const ofProject = evaluator.forProject(project, excluded)
  const labels = replaying.labelsOf(project)
  const evaluation = { evaluator, ofProject, labels, waivers: policy.waivers, history, run }
  const changed = { run, project, sealKeyId: runInputs.sealKeyId, changes: replaying.changes }
  const findings: KeyedFinding[] = []
  const origins = compareWithOrigins(isApproved ? [] : replaying.followed(project), {
    ...{ now: Date.parse(run.startedAt), sealKeyId: runInputs.sealKeyId, ofProject },
    ignored: policy.ignore,
    versionsAt: (points) => history.versionsAt(project, points),
    isApproved: () => false,
    // The history has resources in the form that the run compared.
    reform: (_, attributes) => attributes,
  })
  const lastComplete = await history.completeScansAt(project, run.number - 1)
  for (const some of chunks(seen, evaluatedAtOnce)) {
    const evaluated = await evaluateVersions(some, evaluation)
    const drifted: Finding[] = []
    const drifts = isApproved ? [] : await log.driftsOf(some, changed)
    for (const [at, { resource }] of some.entries()) {
      findings.push(...(evaluated[at] ?? []))
      ofProject.collect(resource)
      const drift = drifts[at]
      if (drift !== undefined) drifted.push(...ofProject.compare(resource, drift, lastComplete[resource.kind]?.run))
    }
    const resources = some.map(({ resource }) => resource)
    findings.push(...(await origins.decide(resources, drifted)).map(keyed))
  }
  const isComplete = (kind: Kind) => isWhole({ statuses, narrowed }, kind)
  for (const finding of ofProject.conclude({ isComplete })) findings.push(keyed(finding))
  markAsCompared(state, (kind) => isKindComplete(statuses, kind))
  const configuredAt = evaluatedThen?.configuredAt ?? null
  return {
    findings,
    outcome: {
      ...{ project, labels, configuredAt, statuses, narrowed, unobserved },
      ...(evaluatedThen?.uiUrl === undefined ? {} : { uiUrl: evaluatedThen.uiUrl }),
      removed: (replaying.removed.get(project.name) ?? []).map(resourceKey),
      changed: [],
      ignored: {},
      endings: Object.fromEntries(origins.endings),
      undecided: [...origins.undecided],
      isUnderOtherRules: false,
      // Rules that need probes are not asked at all.
      untested: [],
      probed: [],
      evaluation: ofProject.outcome(),
    },
  }
}

function unseenProject({ uid }: ProjectRef): Resource {
  return { kind: 'project', uid, name: '', attributes: {}, volatile: {}, facts: {} }
}

const walked = ['project', 'endpoint', 'source', 'subscription', 'device'] as const satisfies readonly Kind[]

function* inWalkingOrder(versions: ReadonlyMap<ResourceKey, ReplayedVersion>): Iterable<ReplayedVersion> {
  for (const kind of walked) for (const version of versions.values()) if (version.resource.kind === kind) yield version
}

/** Whether rules about the scan itself may have found something: it was incomplete, or so much was gone. */
function couldHaveBeenWithheld(
  { project, coverage }: RecordedScan,
  losses: Losses,
  versions: Iterable<ReplayedVersion>,
  limits: Parameters<typeof isMassRemoval>[1] | undefined,
): boolean {
  if (coverage.some(({ status }) => status !== 'complete' && status !== 'skipped')) return true
  const lost = losses.get(projectKey(project))
  if (lost === undefined || limits === undefined) return false
  const left = new Map<Kind, number>()
  for (const { resource } of versions) left.set(resource.kind, (left.get(resource.kind) ?? 0) + 1)
  return [...lost].some(([kind, missing]) => isMassRemoval({ missing, known: missing + (left.get(kind) ?? 0) }, limits))
}
