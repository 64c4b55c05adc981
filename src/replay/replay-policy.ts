import { concludeFleet } from '../audit/conclude-fleet.ts'
import { concludeOverdue } from '../audit/conclude-overdue.ts'
import { bareResource } from '../audit/policy-endings.ts'
import { type KeyedFinding, keyed } from '../audit/reconcile.ts'
import type { RuleNotEvaluated } from '../compliance/compliance.ts'
import { approvalInForce, approvalsByProject } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { PolicyEvaluation } from '../history/records.ts'
import { listApprovals } from '../history/sql/approvals.ts'
import { readDiffering } from '../history/sql/differing.ts'
import { type RunInputs, readRunInputs } from '../history/sql/read-run.ts'
import { type CommittedRun, listRuns } from '../history/sql/runs.ts'
import { type ProjectRef, policyProject, projectKey, resourceKey } from '../model/resource.ts'
import { type Finding, overdueRule } from '../model/violation.ts'
import { createEvaluator } from '../policy/evaluator.ts'
import type { Policy } from '../policy/policy.ts'
import { applyDifferences, type FleetState, markAsCompared, projectState } from './fleet-state.ts'
import { type ChangeLog, openChangeLog, type RecordedChanges } from './historical-drift.ts'
import { findEvidence } from './observation.ts'
import { detectWholeFleets, readPastRuns, rememberLabels } from './past-runs.ts'
import { replayScan } from './replay-scan.ts'
import { findUnreplayable, gatherNotEvaluated } from './unreplayable-rules.ts'
import { agedViolations, trackViolations, type ViolationLifetime, type ViolationTracker } from './violation-tracker.ts'

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
  readonly notEvaluated: readonly RuleNotEvaluated[]
  /** The rules, and how much they evaluated in the last run of the projects that it scanned. */
  readonly context: PolicyEvaluation
}

/**
 * Evaluates past runs by a policy, from what the history keeps of them: each version once, in each run only what asks
 * the time and what spans resources. Coverage and labels are those of then. Each project leaves the same outcome as in
 * a run, and the same functions conclude the fleet and reconcile what was found.
 */
export async function replayPolicy(history: HistoryReader, { policy, runs, clock }: ReplayRequest): Promise<Replay> {
  const unreplayable = findUnreplayable(policy)
  const approvals = approvalsByProject(await listApprovals(history))
  const pastRuns = await readPastRuns(history, runs)
  const isWholeFleet = detectWholeFleets(pastRuns)
  const labelsIn = rememberLabels()
  const notEvaluated = gatherNotEvaluated(unreplayable)
  const trackerOf = rememberTrackers()
  /** What is overdue is reconciled by itself, when all other violations of a run are decided. */
  const overdueOf = rememberTrackers()
  const fleet: FleetState = new Map()
  const log = openChangeLog(history, createEvaluator(policy, 0).lookbackMs, policy.ignore)
  let previous = await startBefore(history, runs[0]?.number ?? 0, fleet, log)
  let context: PolicyEvaluation = { rules: [], projects: [], policy: policy.facts }

  for (const past of pastRuns) {
    const { run, scans, runInputs } = past
    const losses = applyDifferences(fleet, await readDiffering(history, previous, run.number))
    previous = run.number
    const now = Date.parse(run.startedAt)
    const labelsOf = labelsIn(runInputs.projects)
    const evaluator = createEvaluator(policy, now, labelsOf, clock)
    const replaying = {
      policy,
      unreplayable,
      evaluator,
      history,
      run,
      runInputs,
      fleet,
      losses,
      log,
      labelsOf,
      removed: Map.groupBy(
        runInputs.changes.filter(({ change }) => change === 'removed'),
        ({ project }) => project,
      ),
      followed: (project: ProjectRef) => trackerOf(project).withOrigin(),
      evidence: await findEvidence(history, run, scans),
      changes: byProject(runInputs.changes),
      isApproved: (project: ProjectRef) =>
        approvalInForce(approvals.get(projectKey(project)) ?? [], run.startedAt) !== undefined,
    }
    const findings: (readonly KeyedFinding[])[] = []
    const outcomes = []
    for (const recorded of scans) {
      const scan = await replayScan(recorded, replaying)
      findings.push(scan.findings)
      outcomes.push(scan.outcome)
    }
    log.note(run, runInputs.changes)
    const conclusion = concludeFleet(outcomes, { policy, isWholeFleet: isWholeFleet(past), now })
    for (const [index, concluded] of conclusion.projects.entries()) {
      const { project, criteria } = concluded
      const found = [...(findings[index] ?? []), ...concluded.findings.map(keyed)]
      const { versions } = projectState(fleet, projectKey(project))
      const switchOf = (violation: Finding) => {
        const resource = versions.get(resourceKey(violation))?.resource ?? bareResource(violation)
        return evaluator.switchOf(project, resource, violation.rule)
      }
      trackerOf(project).reconcile(run, project, found, { ...criteria, switchOf })
      notEvaluated.add(concluded)
      if (!evaluator.needs.has(overdueRule)) continue
      const overdue = overdueOf(project)
      const old = agedViolations(trackerOf(project), run)
      const late = concludeOverdue(project, old, overdue.active(), { evaluator, due: policy.due, now })
      overdue.reconcile(run, project, late.findings.map(keyed), { ...late.criteria, switchOf })
    }
    const { waivers } = conclusion
    if (policy.waivers.length > 0) {
      const switchOf = (violation: Finding) =>
        evaluator.switchOf(policyProject, bareResource(violation), violation.rule)
      const found = waivers.findings.map(keyed)
      trackerOf(policyProject).reconcile(run, policyProject, found, { ...waivers.criteria, switchOf })
    }
    context = conclusion.context
  }
  const all = [...trackerOf.all(), ...overdueOf.all()]
  return {
    active: all.flatMap((tracker) => tracker.active()),
    ended: all.flatMap((tracker) => tracker.ended()),
    notEvaluated: notEvaluated.list(),
    context,
  }
}

function byProject(changes: RunInputs['changes']): RecordedChanges {
  const ofProjects = Map.groupBy(changes, ({ project }) => project).entries()
  return new Map(ofProjects.map(([name, all]) => [name, new Map(all.map((change) => [resourceKey(change), change]))]))
}

/** A tracker for each project, made when it is first asked for. */
function rememberTrackers() {
  const trackers = new Map<string, ViolationTracker>()
  const trackerOf = (project: ProjectRef): ViolationTracker => {
    const known = trackers.get(projectKey(project)) ?? trackViolations()
    trackers.set(projectKey(project), known)
    return known
  }
  return Object.assign(trackerOf, { all: () => trackers.values() })
}

/** What was there before the first run, and what its drift is compared with; returns the run before it, or 0. */
async function startBefore(history: HistoryReader, first: number, fleet: FleetState, log: ChangeLog): Promise<number> {
  const earlier = (await listRuns(history)).filter(({ number }) => number < first)
  const previous = earlier.at(-1)?.number ?? 0
  if (previous === 0) return 0
  applyDifferences(fleet, await readDiffering(history, 0, previous))
  for (const state of fleet.values()) markAsCompared(state, () => true)
  for (const run of earlier) {
    if (log.readsPast) log.note(run, (await readRunInputs(history, run.number))?.changes ?? [])
  }
  return previous
}
