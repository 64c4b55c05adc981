import type { Approvals } from '../../history/approvals.ts'
import type { Circumstances, HistoryReader, ProjectLook, SealedRun } from '../../history/reader.ts'
import type { RunContext } from '../../history/records.ts'
import type { Unjudged } from '../../model/compliance.ts'
import type { JudgedProject } from '../../model/judging.ts'
import { type Kind, type ProjectRef, policyProject, type Resource } from '../../model/resource.ts'
import type { Finding } from '../../model/violation.ts'
import { type Judge, startJudge } from '../../policy/judge.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Labels } from '../../policy/selector.ts'
import { isMassRemoval } from '../../rules/project/mass-removal.ts'
import type { Rule } from '../../rules/rule.ts'
import { describeContext } from '../describe-context.ts'
import { judgePolicy } from '../settle-policy.ts'
import type { Ending } from '../settle-violations.ts'
import { heldApproval, openDriftLog } from './drift-then.ts'
import {
  type FleetThen,
  keyOfProject,
  type Losses,
  projectThen,
  rebase,
  takeOver,
  type VersionThen,
} from './fleet-then.ts'
import { judgeVersion } from './judged-version.ts'
import { type Ledger, openLedger, type Placed, placed, type Stretch } from './ledger.ts'
import { findLimits, gatherUnjudged } from './limits.ts'
import { findEvidence, type Sight, sightOf } from './sight.ts'

export interface ReplayAsked {
  readonly policy: Policy
  /** Sealed runs to judge, oldest first, without gaps; at least one. */
  readonly runs: readonly SealedRun[]
  /** Bounds what custom rules take of a run. Milliseconds; only differences count. */
  readonly clock: () => number
}

/** What a policy would have found, had it judged the runs. */
export interface Replay {
  /** What stands as of the last run. */
  readonly standing: readonly Stretch[]
  /** What ended meanwhile. */
  readonly ended: readonly Stretch[]
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
export async function replayPolicy(history: ReplayedHistory, { policy, runs, clock }: ReplayAsked): Promise<Replay> {
  const limits = findLimits(policy)
  const isWaivable = (rule: string) => policy.waivers.some(({ covers }) => covers(rule))
  const approvals = await history.approvals()
  const steps = await readSteps(history, runs)
  const isWhole = wholeFleets(steps)
  const labelsOf = rememberLabels()
  const unjudged = gatherUnjudged(policy, limits)
  const ledgers = new Map<string, Ledger>()
  const fleet: FleetThen = new Map()
  const log = openDriftLog(startJudge(policy, 0).lookbackMs)
  let previous = await startBefore(history, runs[0]?.number ?? 0, fleet, log)
  let context: RunContext = { rules: [], projects: [] }

  for (const { run, looks, circumstances } of steps) {
    const losses = takeOver(fleet, await history.differing(previous, run.number))
    previous = run.number
    const labels = labelsOf(circumstances.projects)
    const judge = startJudge(policy, Date.parse(run.startedAt), labels, clock)
    const evidence = await findEvidence(history, run, looks)
    const judged: JudgedLook[] = []
    for (const look of looks) {
      const { project } = look
      const sight = sightOf(look, circumstances, evidence)
      const then = projectThen(fleet, keyOfProject(project))
      const isApproved = heldApproval(approvals, project, run.startedAt)
      const drift = log.at(run, project, circumstances.sealKeyId, circumstances.changes)
      const occasion = { judge, project, labels: labels(project), limits, isWaivable, history, run: run.number }
      const found: (readonly Placed[])[] = []
      const unseen = new Set<string>()
      let self: Resource = { kind: 'project', uid: project.uid, name: '', attributes: {}, volatile: {}, facts: {} }
      for (const version of inWalkingOrder(then.standing)) {
        const { resource } = version
        if (!sight.sees(version)) {
          unseen.add(`${resource.kind} ${resource.uid}`)
          continue
        }
        if (resource.kind === 'project') self = resource
        for (const group of await judgeVersion(version, occasion)) if (group.length > 0) found.push(group)
        judge.pass(project, resource)
        const compared = isApproved ? undefined : drift.of(version)
        if (compared !== undefined) found.push(judge.compare(project, resource, compared).map(placed))
      }
      found.push(judge.concludeProject(project, { isComplete: sight.isWhole }).map(placed))
      rebase(then, sight.isComplete)
      const isPlain = !couldHaveBeenHeld(
        look,
        losses,
        then.standing.values(),
        judge.optionsOf(project, self, massRemoval),
      )
      judged.push({ sight, found, unseen, isApproved, isPlain })
    }
    const isWholeFleet = isWhole(looks, circumstances)
    settle(run, judged, { judge, policy, isWholeFleet, ledgers, limits, labels })
    const openOf = ({ isApproved, isPlain }: JudgedLook) => [
      ...(isApproved ? (['drift'] as const) : []),
      ...(isPlain ? [] : (['look'] as const)),
    ]
    const silent = new Map(
      judged.map((look) => {
        const { project } = look.sight
        return [project.name, unjudged.note(project, openOf(look), judge.failuresIn(project))]
      }),
    )
    if (run === runs.at(-1)) context = contextOf(policy, judge, looks, circumstances, silent)
  }
  const all = [...ledgers.values()]
  return {
    standing: all.flatMap((ledger) => ledger.standing()),
    ended: all.flatMap((ledger) => ledger.ended()),
    unjudged: unjudged.list(),
    context,
  }
}

const massRemoval = 'project/mass-removal'

interface Step {
  readonly run: SealedRun
  /** Of the projects that the run looked at. */
  readonly looks: readonly ProjectLook[]
  readonly circumstances: Circumstances
}

async function readSteps(history: HistoryReader, runs: readonly SealedRun[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const run of runs) {
    const circumstances = await history.circumstances(run.number)
    if (circumstances === undefined) throw new Error(`run ${run.number} went away while it was read`)
    const looks = (await history.looksAt(run.number)).filter((look) => look.run.number === run.number)
    steps.push({ run, looks, circumstances })
  }
  return steps
}

/** What stood before the first run, and what its drift is told from; returns the run before it, or 0. */
async function startBefore(
  history: HistoryReader,
  first: number,
  fleet: FleetThen,
  log: ReturnType<typeof openDriftLog>,
): Promise<number> {
  const earlier = (await history.runs()).filter(({ number }) => number < first)
  const previous = earlier.at(-1)?.number ?? 0
  if (previous === 0) return 0
  takeOver(fleet, await history.differing(0, previous))
  for (const then of fleet.values()) rebase(then, () => true)
  for (const run of earlier) {
    if (log.looksBack) log.note(run, (await history.circumstances(run.number))?.changes ?? [])
  }
  return previous
}

/**
 * Whether a run looked at the whole fleet. No run says so: it did when it looked at every project that any run of the
 * same configuration looked at.
 */
function wholeFleets(steps: readonly Step[]): (looks: readonly ProjectLook[], of: Circumstances) => boolean {
  const fleets = new Map<string, Set<string>>()
  for (const { looks, circumstances } of steps) {
    const known = fleets.get(circumstances.configurationDigest) ?? new Set()
    fleets.set(circumstances.configurationDigest, known)
    for (const { project } of looks) known.add(keyOfProject(project))
  }
  return (looks, { configurationDigest }) => looks.length === fleets.get(configurationDigest)?.size
}

/** Labels of projects, run by run. Equal ones of a project are the same object: what was judged under them still holds. */
function rememberLabels(): (projects: readonly JudgedProject[]) => (project: ProjectRef) => Labels {
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

function* inWalkingOrder(standing: ReadonlyMap<string, VersionThen>): Iterable<VersionThen> {
  for (const kind of walked) for (const version of standing.values()) if (version.resource.kind === kind) yield version
}

/** Whether rules about the look itself may have had something to say: it was incomplete, or lost so much as to be held. */
function couldHaveBeenHeld(
  { project, coverage }: ProjectLook,
  losses: Losses,
  standing: Iterable<VersionThen>,
  limits: Parameters<typeof isMassRemoval>[1] | undefined,
): boolean {
  if (coverage.some(({ status }) => status !== 'complete' && status !== 'skipped')) return true
  const lost = losses.get(keyOfProject(project))
  if (lost === undefined || limits === undefined) return false
  const left = new Map<Kind, number>()
  for (const { resource } of standing) left.set(resource.kind, (left.get(resource.kind) ?? 0) + 1)
  return [...lost].some(([kind, missing]) => isMassRemoval({ missing, known: missing + (left.get(kind) ?? 0) }, limits))
}

interface JudgedLook {
  readonly sight: Sight
  readonly found: (readonly Placed[])[]
  /** What stands and is not known to have been seen, as `kind uid`. */
  readonly unseen: ReadonlySet<string>
  readonly isApproved: boolean
  /** Whether nothing can be said of the look itself. */
  readonly isPlain: boolean
}

interface Settling {
  readonly judge: Judge
  readonly policy: Policy
  readonly isWholeFleet: boolean
  readonly ledgers: Map<string, Ledger>
  readonly limits: ReadonlyMap<string, string>
  labels(project: ProjectRef): Labels
}

/** As at the end of a run: what rules across projects found, what stands, what is gone. */
function settle(run: SealedRun, looks: readonly JudgedLook[], settling: Settling): void {
  const { judge, policy, isWholeFleet, ledgers, limits, labels } = settling
  const isFleetWhole = (kind: Kind) => isWholeFleet && looks.every(({ sight }) => sight.isWhole(kind))
  const acrossFleet = Map.groupBy(judge.concludeFleet({ isComplete: isFleetWhole }), ({ project }) => project.name)
  const ledgerOf = (project: ProjectRef) => {
    const known = ledgers.get(keyOfProject(project)) ?? openLedger()
    ledgers.set(keyOfProject(project), known)
    return known
  }
  for (const { sight, found, unseen, isApproved, isPlain } of looks) {
    const { project } = sight
    const ofFleet = (acrossFleet.get(project.name) ?? []).map(({ finding }) => placed(finding))
    const isComplete: Ending<Finding>['isComplete'] = {
      resource: sight.isComplete,
      drift: (kind) => !isApproved && sight.isComplete(kind),
      look: (kind) => isPlain && sight.isComplete(kind),
      project: sight.isWhole,
      fleet: isFleetWhole,
    }
    const sawAll = (rule: string) => {
      const needs = judge.needsOf(rule)
      if (needs === undefined || !isFold(needs.scope)) return true
      return !judge.doubts.holdsAny(project, rule) && needs.kinds.every(isComplete[needs.scope])
    }
    const isOutOfSight = (finding: Finding) =>
      unseen.has(`${finding.kind} ${finding.uid}`) || judge.doubts.isAbout(project, finding)
    const judged = [...found, ofFleet].map((group) => withoutLimits(group, limits))
    ledgerOf(project).settle(run, { project, found: judged, ending: { judge, isComplete, isOutOfSight }, sawAll })
  }
  if (policy.waivers.length === 0) return
  const lookedAt = looks.map(({ sight: { project, isWhole } }) => {
    return { project, labels: labels(project), isWhole, hasUntested: policy.probes.length > 0 }
  })
  const { findings, isOutOfSight } = judgePolicy(lookedAt, { judge, policy, isWholeFleet })
  const always = () => true
  const isComplete = { resource: always, drift: always, look: always, project: always, fleet: always }
  const ending = { judge, isComplete, isOutOfSight }
  const found = [findings.map(placed)]
  ledgerOf(policyProject).settle(run, { project: policyProject, found, ending, sawAll: always })
}

function isFold(scope: Rule['scope']): boolean {
  return scope === 'project' || scope === 'fleet'
}

function withoutLimits(group: readonly Placed[], limits: ReadonlyMap<string, string>): readonly Placed[] {
  if (limits.size === 0 || !group.some(({ finding }) => limits.has(finding.rule))) return group
  return group.filter(({ finding }) => !limits.has(finding.rule))
}

function contextOf(
  policy: Policy,
  judge: Judge,
  looks: readonly ProjectLook[],
  { projects }: Circumstances,
  silent: ReadonlyMap<string, ReadonlyMap<string, string>>,
): RunContext {
  const known = new Map(projects.map((project) => [project.project, project]))
  const configured = looks.map(({ project: ref }) => {
    const { labels = {}, place = null } = known.get(ref.name) ?? {}
    return { ref, labels, place }
  })
  const context = describeContext({ policy, projects: configured }, judge)
  return {
    ...context,
    projects: context.projects.map((project) => {
      const unjudged = Object.fromEntries(silent.get(project.project) ?? [])
      const none = Object.fromEntries(Object.keys(unjudged).map((rule) => [rule, 0]))
      return { ...project, fewer: { ...project.fewer, ...none }, unjudged }
    }),
  }
}
