import type { Unjudged } from '../../compliance/compliance.ts'
import type { Approvals } from '../../history/approvals.ts'
import type { CommittedRun, HistoryReader, RecordedScan, RunInputs } from '../../history/reader.ts'
import type { RunContext } from '../../history/records.ts'
import type { ProjectEvaluation } from '../../model/evaluation.ts'
import { type Kind, type ProjectRef, policyProject, type Resource } from '../../model/resource.ts'
import type { Finding } from '../../model/violation.ts'
import { createEvaluator, type PolicyEvaluator } from '../../policy/evaluator.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Labels } from '../../policy/selector.ts'
import type { Rule } from '../../rules/engine/rule.ts'
import { isMassRemoval } from '../../rules/project/mass-removal.ts'
import { describeContext } from '../describe-context.ts'
import { evaluateWaiverUse } from '../settle-policy.ts'
import type { ResolutionCriteria } from '../settle-violations.ts'
import { activeApprovalOf, openDriftLog } from './drift-then.ts'
import {
  applyDifferences,
  type FleetState,
  type Losses,
  markAsCompared,
  projectKey,
  projectThen,
  type ReplayedVersion,
} from './fleet-then.ts'
import { evaluateVersion } from './judged-version.ts'
import {
  type KeyedFinding,
  openViolationTracker,
  placed,
  type ViolationLifetime,
  type ViolationTracker,
} from './ledger.ts'
import { findLimits, gatherNotEvaluated } from './limits.ts'
import { findEvidence, type Observation, observationOf } from './sight.ts'

export interface ReplayRequest {
  readonly policy: Policy
  /** Sealed runs to judge, oldest first, without gaps; at least one. */
  readonly runs: readonly CommittedRun[]
  /** Bounds what custom rules take of a run. Milliseconds; only differences count. */
  readonly clock: () => number
}

/** What a policy would have found, had it judged the runs. */
export interface PolicyReplay {
  /** What stands as of the last run. */
  readonly standing: readonly ViolationLifetime[]
  /** What ended meanwhile. */
  readonly ended: readonly ViolationLifetime[]
  /** Rules that could not be asked. */
  readonly unjudged: readonly Unjudged[]
  /** The rules, and how much they judged in the last run of the projects that it looked at. */
  readonly context: RunContext
}

export type ReplayedHistory = HistoryReader & Pick<Approvals, 'approvals'>

/**
 * Judges past runs by a policy, from what the history keeps of them: each version once, in each run only what asks the
 * time and what spans resources. Coverage is that of then, and so are labels.
 */
export async function replayPolicy(
  history: ReplayedHistory,
  { policy, runs, clock }: ReplayRequest,
): Promise<PolicyReplay> {
  const limits = findLimits(policy)
  const isWaivable = (rule: string) => policy.waivers.some(({ covers }) => covers(rule))
  const approvals = await history.approvals()
  const steps = await readSteps(history, runs)
  const isWhole = wholeFleets(steps)
  const labelsOf = rememberLabels()
  const unjudged = gatherNotEvaluated(policy, limits)
  const trackers = new Map<string, ViolationTracker>()
  const fleet: FleetState = new Map()
  const log = openDriftLog(createEvaluator(policy, 0).lookbackMs)
  let previous = await startBefore(history, runs[0]?.number ?? 0, fleet, log)
  let context: RunContext = { rules: [], projects: [] }

  for (const { run, scans, runInputs } of steps) {
    const losses = applyDifferences(fleet, await history.differing(previous, run.number))
    previous = run.number
    const labels = labelsOf(runInputs.projects)
    const evaluator = createEvaluator(policy, Date.parse(run.startedAt), labels, clock)
    const evidence = await findEvidence(history, run, scans)
    const evaluated: EvaluatedScan[] = []
    for (const scan of scans) {
      const { project } = scan
      const observation = observationOf(scan, runInputs, evidence)
      const then = projectThen(fleet, projectKey(project))
      const isApproved = activeApprovalOf(approvals, project, run.startedAt)
      const drift = log.at(run, project, runInputs.sealKeyId, runInputs.changes)
      const occasion = { evaluator, project, labels: labels(project), limits, isWaivable, history, run: run.number }
      const found: (readonly KeyedFinding[])[] = []
      const unseen = new Set<string>()
      let self: Resource = { kind: 'project', uid: project.uid, name: '', attributes: {}, volatile: {}, facts: {} }
      for (const version of inWalkingOrder(then.standing)) {
        const { resource } = version
        if (!observation.sees(version)) {
          unseen.add(`${resource.kind} ${resource.uid}`)
          continue
        }
        if (resource.kind === 'project') self = resource
        for (const group of await evaluateVersion(version, occasion)) if (group.length > 0) found.push(group)
        evaluator.collect(project, resource)
        const compared = isApproved ? undefined : drift.of(version)
        if (compared !== undefined) found.push(evaluator.compare(project, resource, compared).map(placed))
      }
      found.push(evaluator.concludeProject(project, { isComplete: observation.isWhole }).map(placed))
      markAsCompared(then, observation.isComplete)
      const isPlain = !couldHaveBeenHeld(
        scan,
        losses,
        then.standing.values(),
        evaluator.optionsOf(project, self, massRemoval),
      )
      evaluated.push({ observation, found, unseen, isApproved, isPlain })
    }
    const isWholeFleet = isWhole(scans, runInputs)
    settle(run, evaluated, { evaluator, policy, isWholeFleet, trackers, limits, labels })
    const openOf = ({ isApproved, isPlain }: EvaluatedScan) => [
      ...(isApproved ? (['drift'] as const) : []),
      ...(isPlain ? [] : (['scan'] as const)),
    ]
    const silent = new Map(
      evaluated.map((scan) => {
        const { project } = scan.observation
        return [project.name, unjudged.note(project, openOf(scan), evaluator.failuresIn(project))]
      }),
    )
    if (run === runs.at(-1)) context = contextOf(policy, evaluator, scans, runInputs, silent)
  }
  const all = [...trackers.values()]
  return {
    standing: all.flatMap((tracker) => tracker.standing()),
    ended: all.flatMap((tracker) => tracker.ended()),
    unjudged: unjudged.list(),
    context,
  }
}

const massRemoval = 'project/mass-removal'

interface Step {
  readonly run: CommittedRun
  /** Of the projects that the run looked at. */
  readonly scans: readonly RecordedScan[]
  readonly runInputs: RunInputs
}

async function readSteps(history: HistoryReader, runs: readonly CommittedRun[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const run of runs) {
    const runInputs = await history.runInputs(run.number)
    if (runInputs === undefined) throw new Error(`run ${run.number} went away while it was read`)
    const scans = (await history.latestScans(run.number)).filter((scan) => scan.run.number === run.number)
    steps.push({ run, scans, runInputs })
  }
  return steps
}

/** What stood before the first run, and what its drift is told from; returns the run before it, or 0. */
async function startBefore(
  history: HistoryReader,
  first: number,
  fleet: FleetState,
  log: ReturnType<typeof openDriftLog>,
): Promise<number> {
  const earlier = (await history.runs()).filter(({ number }) => number < first)
  const previous = earlier.at(-1)?.number ?? 0
  if (previous === 0) return 0
  applyDifferences(fleet, await history.differing(0, previous))
  for (const then of fleet.values()) markAsCompared(then, () => true)
  for (const run of earlier) {
    if (log.looksBack) log.note(run, (await history.runInputs(run.number))?.changes ?? [])
  }
  return previous
}

/**
 * Whether a run looked at the whole fleet. No run says so: it did when it looked at every project that any run of the
 * same configuration looked at.
 */
function wholeFleets(steps: readonly Step[]): (scans: readonly RecordedScan[], of: RunInputs) => boolean {
  const fleets = new Map<string, Set<string>>()
  for (const { scans, runInputs } of steps) {
    const known = fleets.get(runInputs.configurationDigest) ?? new Set()
    fleets.set(runInputs.configurationDigest, known)
    for (const { project } of scans) known.add(projectKey(project))
  }
  return (scans, { configurationDigest }) => scans.length === fleets.get(configurationDigest)?.size
}

/** Labels of projects, run by run. Equal ones of a project are the same object: what was judged under them still holds. */
function rememberLabels(): (projects: readonly ProjectEvaluation[]) => (project: ProjectRef) => Labels {
  const known = new Map<string, Labels>()
  const same = (project: string, labels: Labels): Labels => {
    const key = JSON.stringify([project, labels])
    const kept = known.get(key) ?? labels
    known.set(key, kept)
    return kept
  }
  return (projects) => {
    const labels = new Map(projects.map((one) => [one.project, same(one.project, one.labels)]))
    return ({ name }) => labels.get(name) ?? same(name, {})
  }
}

const walked = ['project', 'endpoint', 'source', 'subscription', 'device'] as const satisfies readonly Kind[]

function* inWalkingOrder(standing: ReadonlyMap<string, ReplayedVersion>): Iterable<ReplayedVersion> {
  for (const kind of walked) for (const version of standing.values()) if (version.resource.kind === kind) yield version
}

/** Whether rules about the look itself may have had something to say: it was incomplete, or lost so much as to be held. */
function couldHaveBeenHeld(
  { project, coverage }: RecordedScan,
  losses: Losses,
  standing: Iterable<ReplayedVersion>,
  limits: Parameters<typeof isMassRemoval>[1] | undefined,
): boolean {
  if (coverage.some(({ status }) => status !== 'complete' && status !== 'skipped')) return true
  const lost = losses.get(projectKey(project))
  if (lost === undefined || limits === undefined) return false
  const left = new Map<Kind, number>()
  for (const { resource } of standing) left.set(resource.kind, (left.get(resource.kind) ?? 0) + 1)
  return [...lost].some(([kind, missing]) => isMassRemoval({ missing, known: missing + (left.get(kind) ?? 0) }, limits))
}

interface EvaluatedScan {
  readonly observation: Observation
  readonly found: (readonly KeyedFinding[])[]
  /** What stands and is not known to have been seen, as `kind uid`. */
  readonly unseen: ReadonlySet<string>
  readonly isApproved: boolean
  /** Whether nothing can be said of the look itself. */
  readonly isPlain: boolean
}

interface Settling {
  readonly evaluator: PolicyEvaluator
  readonly policy: Policy
  readonly isWholeFleet: boolean
  readonly trackers: Map<string, ViolationTracker>
  readonly limits: ReadonlyMap<string, string>
  labels(project: ProjectRef): Labels
}

/** As at the end of a run: what rules across projects found, what stands, what is gone. */
function settle(run: CommittedRun, scans: readonly EvaluatedScan[], settling: Settling): void {
  const { evaluator, policy, isWholeFleet, trackers, limits, labels } = settling
  const isFleetWhole = (kind: Kind) => isWholeFleet && scans.every(({ observation }) => observation.isWhole(kind))
  const acrossFleet = Map.groupBy(evaluator.concludeFleet({ isComplete: isFleetWhole }), ({ project }) => project.name)
  const trackerOf = (project: ProjectRef) => {
    const known = trackers.get(projectKey(project)) ?? openViolationTracker()
    trackers.set(projectKey(project), known)
    return known
  }
  for (const { observation, found, unseen, isApproved, isPlain } of scans) {
    const { project } = observation
    const ofFleet = (acrossFleet.get(project.name) ?? []).map(({ finding }) => placed(finding))
    const isComplete: ResolutionCriteria<Finding>['isComplete'] = {
      resource: observation.isComplete,
      drift: (kind) => !isApproved && observation.isComplete(kind),
      scan: (kind) => isPlain && observation.isComplete(kind),
      project: observation.isWhole,
      fleet: isFleetWhole,
    }
    const sawAll = (rule: string) => {
      const needs = evaluator.needsOf(rule)
      if (needs === undefined || !isFold(needs.scope)) return true
      return !evaluator.doubts.holdsAny(project, rule) && needs.kinds.every(isComplete[needs.scope])
    }
    const isUnobserved = (finding: Finding) =>
      unseen.has(`${finding.kind} ${finding.uid}`) || evaluator.doubts.isAbout(project, finding)
    const evaluated = [...found, ofFleet].map((group) => withoutLimits(group, limits))
    trackerOf(project).settle(run, {
      project,
      found: evaluated,
      ending: { evaluator, isComplete, isUnobserved },
      sawAll,
    })
  }
  if (policy.waivers.length === 0) return
  const scanned = scans.map(({ observation: { project, isWhole } }) => {
    return { project, labels: labels(project), isWhole, hasUntested: policy.probes.length > 0 }
  })
  const { findings, isUnobserved } = evaluateWaiverUse(scanned, { evaluator, policy, isWholeFleet })
  const always = () => true
  const isComplete = { resource: always, drift: always, scan: always, project: always, fleet: always }
  const ending = { evaluator, isComplete, isUnobserved }
  const found = [findings.map(placed)]
  trackerOf(policyProject).settle(run, { project: policyProject, found, ending, sawAll: always })
}

function isFold(scope: Rule['scope']): boolean {
  return scope === 'project' || scope === 'fleet'
}

function withoutLimits(group: readonly KeyedFinding[], limits: ReadonlyMap<string, string>): readonly KeyedFinding[] {
  if (limits.size === 0 || !group.some(({ finding }) => limits.has(finding.rule))) return group
  return group.filter(({ finding }) => !limits.has(finding.rule))
}

function contextOf(
  policy: Policy,
  evaluator: PolicyEvaluator,
  scans: readonly RecordedScan[],
  { projects }: RunInputs,
  silent: ReadonlyMap<string, ReadonlyMap<string, string>>,
): RunContext {
  const known = new Map(projects.map((project) => [project.project, project]))
  const configured = scans.map(({ project: ref }) => {
    const { labels = {}, place = null } = known.get(ref.name) ?? {}
    return { ref, labels, place }
  })
  const context = describeContext({ policy, projects: configured }, evaluator)
  return {
    ...context,
    projects: context.projects.map((project) => {
      const unjudged = Object.fromEntries(silent.get(project.project) ?? [])
      const none = Object.fromEntries(Object.keys(unjudged).map((rule) => [rule, 0]))
      return { ...project, fewer: { ...project.fewer, ...none }, unjudged }
    }),
  }
}
