import { concludeFleet } from '../audit/conclude-fleet.ts'
import type { ProjectOutcome } from '../audit/project-outcome.ts'
import { reconcileConclusion } from '../audit/write-conclusion.ts'
import { approvalInForce, approvalsByProject } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { PolicyEvaluation } from '../history/records.ts'
import { listApprovals } from '../history/sql/approvals.ts'
import { readDiffering } from '../history/sql/differing.ts'
import { type RunInputs, readRunInputs } from '../history/sql/read-run.ts'
import { type CommittedRun, listRuns } from '../history/sql/runs.ts'
import { type RecordedScan, readCompleteScans, readLatestScans } from '../history/sql/scans.ts'
import type { Modification } from '../history/staged.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import type { Gap } from '../model/gap.ts'
import { isProjectList, type ProjectRef, projectKey } from '../model/resource.ts'
import { createEvaluator } from '../policy/evaluator.ts'
import type { Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import { applyDifferences, type FleetState, markAsCompared, projectState } from './fleet-state.ts'
import { findEvidence } from './observation.ts'
import { ReplayDraft, type ViolationLifetime } from './replay-draft.ts'
import { replayScan } from './replay-scan.ts'
import { findUnreplayable, gatherNotEvaluated, type UnreplayableRule } from './unreplayable-rules.ts'

export interface ReplayRequest {
  readonly policy: Policy
  /** Committed runs to evaluate, oldest first, without gaps; at least one. */
  readonly runs: readonly CommittedRun[]
  /** Bounds what custom rules take of a run. Milliseconds; only differences count. */
  readonly clock: () => number
}

/** What a policy would have found, had it evaluated the runs. */
export interface Replay {
  /** Violations that are active as of the last run. */
  readonly active: readonly ViolationLifetime[]
  /** Those that ended before. */
  readonly ended: readonly ViolationLifetime[]
  /** Rules that could not be asked. */
  readonly notEvaluated: readonly UnreplayableRule[]
  /** The rules, and how much they evaluated in the last run of the projects that it scanned. */
  readonly context: PolicyEvaluation
}

/**
 * Evaluates past runs by a policy: the steps of a run, over what the history keeps of what it showed. Coverage and labels
 * are those of then.
 */
export async function replayPolicy(history: HistoryReader, { policy, runs, clock }: ReplayRequest): Promise<Replay> {
  const unreplayable = findUnreplayable(policy)
  const approvals = approvalsByProject(await listApprovals(history))
  const pastRuns = await readPastRuns(history, runs)
  const isWholeFleet = detectWholeFleets(pastRuns)
  const labelsIn = rememberLabels()
  const notEvaluated = gatherNotEvaluated(unreplayable)
  const log = openLog(createEvaluator(policy, 0).lookbackMs)
  const fleet: FleetState = new Map()
  const gapsOf = new Map<string, readonly Gap[]>()
  const draft = new ReplayDraft(history, fleet)
  let previous = await startBefore(history, runs[0]?.number ?? 0, fleet, log)
  let context: PolicyEvaluation = { rules: [], projects: [], policy: policy.facts }

  for (const past of pastRuns) {
    const { run, scans, runInputs } = past
    draft.begin(run)
    const losses = applyDifferences(fleet, await readDiffering(history, previous, run.number))
    previous = run.number
    const now = Date.parse(run.started_at)
    const labelsOf = labelsIn(runInputs.projects)
    const modificationsOf = log.since(now)
    const evaluator = createEvaluator(policy, now, labelsOf, clock)
    const replayed = {
      policy,
      unreplayable,
      evaluator,
      draft,
      run,
      runInputs,
      fleet,
      losses,
      labelsOf,
      evidence: await findEvidence(history, run, scans),
      changes: Map.groupBy(runInputs.changes, ({ project }) => project),
      modificationsOf,
      isApproved: (project: ProjectRef) =>
        approvalInForce(approvals.get(projectKey(project)) ?? [], run.started_at) !== undefined,
    }
    const outcomes: ProjectOutcome[] = []
    for (const recorded of scans) outcomes.push(await replayScan(recorded, replayed))
    log.note(run, runInputs.changes, scans)
    const conclusion = concludeFleet(outcomes, {
      policy,
      isWholeFleet: isWholeFleet(past),
      now,
      run: run.number,
      gapsBefore: (project) => gapsOf.get(projectKey(project)) ?? [],
    })
    const concluded = new Map(conclusion.context.projects.map(({ project, gaps }) => [project, gaps]))
    for (const { project } of outcomes) gapsOf.set(projectKey(project), concluded.get(project.name) ?? [])
    await reconcileConclusion(draft, conclusion, { policy, now, evaluator, lists: [] })
    for (const concluded of conclusion.projects) notEvaluated.add(concluded)
    context = conclusion.context
  }
  return { ...draft.lifetimes(), notEvaluated: notEvaluated.list(), context }
}

type ChangeLog = ReturnType<typeof openLog>

/** What runs reported as modified, for rules that read earlier changes. `lookbackMs`: how far back they do. */
function openLog(lookbackMs: number) {
  /** Of each run, by project: its name may be another one since. */
  const log: { readonly at: string; readonly modified: ReadonlyMap<string, readonly Modification[]> }[] = []
  return {
    isRead: lookbackMs > 0,
    /** `scans`: those of the run. */
    note(
      { number: run, started_at: at }: CommittedRun,
      changes: RunInputs['changes'],
      scans: readonly RecordedScan[],
    ): void {
      if (lookbackMs === 0) return
      const keys = new Map(scans.map(({ project }) => [project.name, projectKey(project)]))
      const modified = new Map<string, Modification[]>()
      for (const { project, kind, uid, change, fields } of changes) {
        const key = keys.get(project)
        if (change !== 'modified' || key === undefined) continue
        const ofProject = modified.get(key) ?? []
        ofProject.push({ kind, uid, run, at, paths: fields.map(({ path }) => path) })
        modified.set(key, ofProject)
      }
      log.push({ at, modified })
    },
    since(now: number): (project: ProjectRef) => readonly Modification[] {
      const from = new Date(Math.max(0, now - lookbackMs)).toISOString()
      const read = log.filter(({ at }) => at >= from)
      return (project) => read.flatMap(({ modified }) => modified.get(projectKey(project)) ?? [])
    },
  }
}

/** What was there before the first run, and what its drift is compared with; returns the run before it, or 0. */
async function startBefore(history: HistoryReader, first: number, fleet: FleetState, log: ChangeLog): Promise<number> {
  const earlier = (await listRuns(history)).filter(({ number }) => number < first)
  const previous = earlier.at(-1)?.number ?? 0
  if (previous === 0) return 0
  applyDifferences(fleet, await readDiffering(history, 0, previous))
  for (const state of fleet.values()) markAsCompared(state, () => true)
  for (const { project } of await readLatestScans(history, previous)) {
    projectState(fleet, projectKey(project)).lastComplete = await readCompleteScans(history, project, previous)
  }
  for (const { run, scans, runInputs } of log.isRead ? await readPastRuns(history, earlier) : []) {
    log.note(run, runInputs.changes, scans)
  }
  return previous
}

interface PastRun {
  readonly run: CommittedRun
  /** Of the projects that the run scanned. */
  readonly scans: readonly RecordedScan[]
  readonly runInputs: RunInputs
}

async function readPastRuns(history: HistoryReader, runs: readonly CommittedRun[]): Promise<PastRun[]> {
  const past: PastRun[] = []
  for (const run of runs) {
    const runInputs = await readRunInputs(history, run.number)
    if (runInputs === undefined) throw new Error(`run ${run.number} went away while it was read`)
    const scans = (await readLatestScans(history, run.number)).filter(
      (scan) => scan.run.number === run.number && !isProjectList(scan.project),
    )
    past.push({ run, scans, runInputs })
  }
  return past
}

/**
 * Whether a run scanned the whole fleet. The history does not say so: a run did when it scanned every project that any
 * run of the same configuration scanned.
 */
function detectWholeFleets(runs: readonly PastRun[]): (run: PastRun) => boolean {
  const fleets = new Map<string, Set<string>>()
  for (const { scans, runInputs } of runs) {
    const projects = fleets.get(runInputs.configuration_digest) ?? new Set()
    fleets.set(runInputs.configuration_digest, projects)
    for (const { project } of scans) projects.add(projectKey(project))
  }
  return ({ scans, runInputs }) => scans.length === fleets.get(runInputs.configuration_digest)?.size
}

/** Labels of projects, run by run. Equal ones of a project are the same object: what was evaluated under them holds. */
function rememberLabels(): (projects: readonly ProjectEvaluation[]) => (project: ProjectRef) => Labels {
  const labelsByText = new Map<string, Labels>()
  const same = (project: string, labels: Labels): Labels => {
    const key = JSON.stringify([project, labels])
    const shared = labelsByText.get(key) ?? labels
    labelsByText.set(key, shared)
    return shared
  }
  return (projects) => {
    const labels = new Map(projects.map((one) => [one.project, same(one.project, one.labels)]))
    return ({ name }) => labels.get(name) ?? same(name, {})
  }
}
