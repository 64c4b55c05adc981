import { type Comparison, compareWithLastScan, type Reform, type ScannedResource } from '../audit/comparison.ts'
import { evaluateScan } from '../audit/evaluate-scan.ts'
import type { AsLeft } from '../audit/policy-endings.ts'
import { ProjectAcceptances } from '../audit/project-acceptances.ts'
import { emptyOutcome, type ProjectOutcome } from '../audit/project-outcome.ts'
import { areSourcesListed, type EvaluatedScan } from '../audit/project-scan.ts'
import { gatherChanges } from '../audit/recent-changes.ts'
import { reconcileProject } from '../audit/reconcile-project.ts'
import { writeReconciliation } from '../audit/write-violations.ts'
import { yesterdayOf } from '../audit/yesterday.ts'
import type { RunInputs } from '../history/sql/read-run.ts'
import { type CommittedRun, lacksRunsSince } from '../history/sql/runs.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import type { Modification } from '../history/staged.ts'
import {
  type Kind,
  type ProjectRef,
  projectKey,
  type Resource,
  type ResourceKey,
  resourceKey,
} from '../model/resource.ts'
import { listingOf } from '../model/walks-for.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import { leaveOutIgnored } from '../policy/ignored-paths.ts'
import type { Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import { isMassRemoval } from '../rules/project/mass-removal.ts'
import {
  type FleetState,
  type Losses,
  noteComplete,
  projectState,
  type ReplayedProject,
  type ReplayedVersion,
} from './fleet-state.ts'
import { type Evidence, observationOf } from './observation.ts'
import type { ReplayDraft } from './replay-draft.ts'
import { findDriftRules, findUnreplayableIn } from './unreplayable-rules.ts'

type Changes = RunInputs['changes']

/** A past run under way again. */
export interface ReplayedRun {
  readonly policy: Policy
  /** Rules that no past run can be asked. */
  readonly unreplayable: ReadonlyMap<string, string>
  readonly evaluator: PolicyEvaluator
  readonly draft: ReplayDraft
  readonly run: CommittedRun
  readonly runInputs: RunInputs
  readonly evidence: Evidence
  readonly fleet: FleetState
  readonly losses: Losses
  /** What the run recorded, by the name that the project had then. */
  readonly changes: ReadonlyMap<string, Changes>
  labelsOf(project: ProjectRef): Labels
  /** What earlier runs reported as modified, as far back as rules read. */
  modificationsOf(project: ProjectRef): readonly Modification[]
  /** Whether an approved baseline was in force. */
  isApproved(project: ProjectRef): boolean
}

/** Evaluates what the scan of a project by a past run can be shown to have seen. */
export async function replayScan(recorded: RecordedScan, replayed: ReplayedRun): Promise<ProjectOutcome> {
  const { policy, evaluator, draft, run, runInputs, fleet } = replayed
  const { project } = recorded
  const { sealKeyId } = runInputs
  const labels = replayed.labelsOf(project)
  const state = projectState(fleet, projectKey(project))
  const changes = replayed.changes.get(project.name) ?? []
  const evaluatedThen = runInputs.projects.find((one) => one.project === project.name)
  const isUnrecorded = (evaluatedThen?.ignore ?? []).some((path) => !policy.ignore.some((one) => one.path === path))
  const isApproved = replayed.isApproved(project)
  await draft.stageScan(project)

  const { statuses, narrowed, observed } = observationOf(recorded, runInputs, replayed.evidence)
  const seen = new Map<Kind, ReplayedVersion[]>()
  const unobserved: ResourceKey[] = []
  for (const [kind, versions] of state.versions) {
    const ofKind: ReplayedVersion[] = []
    for (const version of versions.values()) {
      if (observed(version)) ofKind.push(version)
      else unobserved.push(version.key)
    }
    if (ofKind.length > 0) seen.set(kind, ofKind)
  }
  const self = seen.get('project')?.[0]?.resource ?? unseenProject(project)
  const limits = evaluator.optionsOf(project, self, 'project/mass-removal')
  const excluded = new Map([
    ...replayed.unreplayable,
    ...findUnreplayableIn(policy, [
      ...(isApproved ? (['drift'] as const) : []),
      ...(couldHaveBeenWithheld(recorded, state, replayed.losses, limits) ? (['scan'] as const) : []),
    ]),
    ...(isUnrecorded ? findDriftRules(policy) : []),
  ])
  const recent = gatherChanges(replayed.modificationsOf(project), policy.ignore)
  const followed = isApproved ? [] : draft.withOrigin(project)
  const removed = [...(replayed.losses.get(projectKey(project))?.values() ?? [])].flat()
  const doubted = [...seen.values()].flat().filter(({ resource, base }) => {
    const isInDoubt = resource.doubts !== undefined || (base !== 'same' && base?.doubts !== undefined)
    return isInDoubt || evaluator.datesOf(resource).length > 0
  })
  const violations = await draft.unconfirmedViolations(project)
  const unknownSince = Math.min(...violations.map(({ lastRun = Number.POSITIVE_INFINITY }) => lastRun))
  const younger = [...state.versions.values()].flatMap((ofKind) =>
    [...ofKind.values()].filter(({ since }) => since > unknownSince),
  )
  const asked = [...doubted, ...(evaluator.overridden.size === 0 ? [] : younger)].map(({ resource }) => resource)
  await draft.readPast(project, [...followed, ...replayed.modificationsOf(project), ...changes, ...asked])
  const scan: EvaluatedScan = {
    project,
    run: run.number,
    sealer: { keyId: sealKeyId },
    now: Date.parse(run.started_at),
    ignored: policy.ignore,
    windows: policy.windows.filter(({ isFor }) => isFor(project.name)),
    lastComplete: state.lastComplete,
    at: (resource, at) => draft.at(project, resource, at),
  }
  const rules = evaluator.forProject(project, excluded)
  // The history has resources in the form that the run compared.
  const reform: Reform = (_, attributes) => attributes
  const changeOf = new Map(changes.map((change) => [resourceKey(change), change]))
  const shown = [...seen].map(([kind, ofKind]) => ({
    listing: listingOf(kind, areSourcesListed(statuses)) ?? 'project',
    resources: ofKind.map((version) => toScannedResource(run, version, changeOf.get(version.key), policy)),
  }))
  const evaluation = evaluateScan(scan, shown, {
    evaluator,
    rules,
    comparison: isApproved ? noComparison : compareWithLastScan(scan, recent, reform),
    followed,
    expected: 'unread',
    reform,
    timed: { changes, until: run.finished_at },
    walked: { statuses, narrowed },
    unobserved,
  })
  noteComplete(state, statuses, run.number)
  const { windows } = evaluation
  const outcome: ProjectOutcome = {
    project,
    labels,
    configured_at: null,
    statuses,
    narrowed,
    // Rules that need probes are not asked at all.
    ...emptyOutcome,
    ...(windows === undefined ? {} : { windows }),
    unobserved,
    removed: [...removed, ...evaluation.goneBefore],
    endings: evaluation.endings,
    undecided: evaluation.undecided,
    evaluation: rules.outcome(),
  }
  const asLeft: AsLeft = ({ kind, uid }) => state.versions.get(kind)?.get(uid)?.stored
  const isCounted = violations.some(({ rule }) => evaluator.needs.get(rule)?.life === 'found')
  const since = new Date(Math.max(0, scan.now - evaluator.lookbackMs)).toISOString()
  const areLacking = isCounted && (await lacksRunsSince(draft.past, since, run.number))
  const before = {
    lastScan: await draft.lastScannedRun(project),
    // One policy evaluates all runs of a replay.
    otherRules: new Map(),
    history: { shapes: {}, modifications: [], withOrigin: [] },
    expected: undefined,
    approval: undefined,
    versions: {
      at: scan.at,
      before: (resource: Pick<Resource, 'kind' | 'uid'>) => scan.at(resource, run.number - 1),
      *identities() {
        for (const ofKind of state.versions.values()) for (const { resource } of ofKind.values()) yield resource
      },
    },
  }
  const yesterday = yesterdayOf(scan, {
    before,
    evaluator,
    evaluatorAt: () => evaluator,
    startOf: () => undefined,
    compareWith: () => noComparison,
    reform,
    asLeft,
  })
  const reconciliation = reconcileProject(outcome, evaluation.findings, {
    evaluator,
    acceptances: new ProjectAcceptances(project, []),
    violations,
    asLeft,
    scanned: { before, runs: { times: new Map(), areLacking }, ignored: policy.ignore, reform, yesterday },
  })
  await writeReconciliation(draft, project, reconciliation)
  return { ...outcome, unknownRules: [...new Set(reconciliation.unknown.map(({ rule }) => rule))] }
}

/** While a baseline was approved, what differed from it is not known. */
const noComparison: Comparison = {
  isApproved: () => false,
  compare: () => ({ compared: [], resealed: [] }),
  compareMissing: () => ({ gone: [], unobserved: [], uncomparedSeals: 0 }),
}

/** A version as a run showed it. `recorded`: the change that the run reported. */
function toScannedResource(
  { number }: CommittedRun,
  version: ReplayedVersion,
  recorded: Changes[number] | undefined,
  { ignore }: Policy,
): ScannedResource {
  if (recorded === undefined) return version
  const { resource, since, base, replaced } = version
  const { attributes: after } = resource
  const compared = base === undefined || base === 'same' ? after : base.attributes
  const { before, fields } = leaveOutIgnored(ignore, { before: compared, after, fields: recorded.fields })
  const isLeft = recorded.change !== 'modified' || fields.length > 0
  return {
    resource,
    since,
    change: isLeft ? { ...recorded, fields } : undefined,
    previous: since === number ? replaced : undefined,
    base: base === undefined || base === 'same' ? base : { ...base, attributes: before },
  }
}

function unseenProject({ uid }: ProjectRef): Resource {
  return { kind: 'project', uid, name: '', attributes: {}, volatile: {}, facts: {} }
}

/** Whether rules about the scan itself may have found something: it was incomplete, or so much was gone. */
function couldHaveBeenWithheld(
  { project, coverage }: RecordedScan,
  { versions }: ReplayedProject,
  losses: Losses,
  limits: Parameters<typeof isMassRemoval>[1] | undefined,
): boolean {
  if (coverage.some(({ status }) => status !== 'complete' && status !== 'skipped')) return true
  const lost = losses.get(projectKey(project))
  if (lost === undefined || limits === undefined) return false
  return [...lost].some(([kind, { length: missing }]) =>
    isMassRemoval({ missing, total: missing + (versions.get(kind)?.size ?? 0) }, limits),
  )
}
