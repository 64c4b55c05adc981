import { messageOf } from '../model/errors.ts'
import type { EvaluationStats } from '../model/evaluation.ts'
import { withoutMarks } from '../model/exact-number.ts'
import type { Json } from '../model/json.ts'
import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { Drift } from '../rules/engine/drift.ts'
import type { ScanOutcome } from '../rules/engine/look.ts'
import {
  type Completeness,
  type EvaluationContext,
  type EvaluationRun,
  emptyContext,
  type FindingPlace,
  observingNow,
  type Rule,
  type RuleFinding,
} from '../rules/engine/rule.ts'
import { type Doubts, startDoubts } from './doubts.ts'
import { startMeter } from './meter.ts'
import { type ActiveRule, namedRules, type Policy } from './policy.ts'
import { lookbackOf, type RuleSet, ruleSets } from './rule-sets.ts'
import { type Aggregations, keyOf, startAggregations } from './run-aggregations.ts'
import type { Labels } from './selector.ts'
import { count, countEvaluated, type Tally } from './tally.ts'
import { startWaiving, type Waiving } from './waiving.ts'
import { trackReads } from './watch-reads.ts'

/** Judges resources as they pass, in the order of walking; rules across resources answer at the end. */
export interface PolicyEvaluator {
  evaluate(project: ProjectRef, resource: Resource, since?: EvaluationContext['since']): Finding[]
  /** Rules that look at a resource alone. `visit` asks each, and passes the resource on. */
  rulesFor(project: ProjectRef, resource: Resource): readonly ActiveRule[]
  /** What one of those rules says; undefined where it failed or could not judge. `onNow`: told when it asks what time it is. */
  ask(active: ActiveRule, subject: EvaluationSubject, onNow?: () => void): Finding[] | undefined
  /** Shows a resource to rules across resources, and counts it as judged. */
  collect(project: ProjectRef, resource: Resource): void
  /** Paths of a resource of which `visit` needs to know since when they hold their value. */
  datesOf(resource: Resource): readonly string[]
  /** What rules say of a resource beside what it was. */
  compare(project: ProjectRef, resource: Resource, drift: Drift): Finding[]
  /** What rules say of the look at a project itself. */
  evaluateScan(project: ProjectRef, resource: Resource, scan: ScanOutcome): Finding[]
  /** What a rule was given to judge a resource by; undefined where it is off. */
  optionsOf(project: ProjectRef, resource: Resource, rule: string): Json | undefined
  /** How far back rules look for changes, at most. */
  readonly lookbackMs: number
  /** What rules across a project found. Forgets the project's resources. */
  concludeProject(project: ProjectRef, completeness: Completeness): Finding[]
  /** What rules across all projects found. */
  concludeFleet(completeness: Completeness): readonly FleetFinding[]
  /** Rules that could not judge a project, and why: their silence means nothing there. */
  failuresIn(project: ProjectRef): ReadonlyMap<string, string>
  /** What rules could not judge because of malformed fields: their silence means nothing there. */
  readonly doubts: Pick<Doubts, 'isAbout' | 'holdsAny'>
  /** How much of a project was judged so far. */
  statsOf(project: ProjectRef): EvaluationStats
  /** Leaves a project's resources out of what is still to be concluded. */
  forget(project: ProjectRef): void
  /** Puts the waivers of the policy on findings; those of `visit` and of the conclusions have them already. */
  readonly waiving: Waiving
  /** What a rule needs to see completely before its silence means anything; undefined when the policy has it off. */
  needsOf(rule: string): Needs | undefined
}

/** A resource to be judged by itself. */
export interface EvaluationSubject {
  readonly project: ProjectRef
  readonly resource: Resource
  readonly since?: EvaluationContext['since'] | undefined
}

export interface Needs {
  readonly kinds: readonly Kind[]
  readonly scope: Rule['scope']
  /** A rule of the policy file: when it fails, that is not our bug. */
  readonly isCustom?: true
}

export interface FleetFinding {
  readonly project: ProjectRef
  readonly finding: Finding
}

/** Failures of rules across all projects are kept under this name. */
const everywhere = ''

/** `now`: milliseconds since the epoch, one for the whole run. `clock` bounds what custom rules take of it. */
export function createEvaluator(
  policy: Policy,
  now: number,
  labelsOf: (project: ProjectRef) => Labels = () => ({}),
  clock: () => number = () => 0,
): PolicyEvaluator {
  const run: EvaluationRun = { now, labelsOf, meter: startMeter(clock) }
  const setFor = ruleSets(policy, labelsOf)
  const named = namedRules(policy)
  const needs = new Map(named.map(({ rule }) => [rule.id, needsFor(rule)]))
  const datings = named.flatMap(({ rule: { kind }, bound }) =>
    bound.scope === 'resource' && bound.dates !== undefined ? [{ kind, dates: bound.dates }] : [],
  )
  const concluding = named.flatMap(({ rule }) => (rule.scope === 'project' || rule.scope === 'fleet' ? rule.id : []))
  const waiving = startWaiving(policy.waivers, { labelsOf, concluding, now })
  const projectFolds = new Map<string, Aggregations>()
  const forgotten = new Set<string>()
  const failures = new Map<string, Map<string, string>>()
  /** The rules that hold for a resource that a fold may name later, where they are not those of the others. */
  const exceptions = new Map<string, RuleSet>()
  const tallies = new Map<string, Tally>()
  const doubts = startDoubts(everywhere)

  /** A rule that throws, whatever it was given, must cost neither the run nor a resolution. */
  const failed = (where: string, { id }: Rule, error: unknown) => {
    const known = failures.get(where) ?? new Map<string, string>()
    if (!known.has(id)) failures.set(where, known.set(id, messageOf(error)))
  }

  const fleetFolds = startAggregations(named, 'fleet', { where: everywhere, run, doubts, failed })

  const foldsOf = (project: ProjectRef): Aggregations => {
    const known = projectFolds.get(project.name)
    const folds = known ?? startAggregations(named, 'project', { where: project.name, run, doubts, failed })
    projectFolds.set(project.name, folds)
    return folds
  }

  const findingsOf = (folds: Aggregations, completeness: Completeness): FleetFinding[] =>
    folds.conclude(completeness).flatMap(({ rule, problem }) => {
      const active = (exceptions.get(keyOf(problem.at)) ?? setFor.everyone).byId.get(rule.id)
      if (active === undefined) return []
      const { project } = problem.at
      return [{ project, finding: waiving.waiveRemembered(stamp(active, problem.at, problem), project) }]
    })

  const failuresIn = (project: ProjectRef) =>
    new Map([...(failures.get(everywhere) ?? []), ...(failures.get(project.name) ?? [])])

  const tallyOf = (project: ProjectRef): Tally => {
    const tally = tallies.get(project.name) ?? new Map()
    tallies.set(project.name, tally)
    return tally
  }

  /** Those of the resource before: most have nothing of their own, and resources come project by project. */
  let plain: EvaluationContext | undefined

  /** undefined where the rule failed, or read a malformed field. `seen`: the resource, watched if it has such fields. */
  const findWith = (
    active: ActiveRule,
    project: ProjectRef,
    resource: Resource,
    check: (seen: Resource) => Iterable<RuleFinding>,
  ): Finding[] | undefined => {
    const watched = resource.malformed === undefined ? undefined : trackReads(resource)
    try {
      const findings: Finding[] = []
      for (const problem of check(watched?.seen ?? resource)) {
        findings.push(waiving.waive(stamp(active, resource, problem), project, resource))
      }
      if (!watched?.hasRead()) return findings
    } catch (error) {
      if (!watched?.hasRead()) {
        failed(project.name, active.rule, error)
        return undefined
      }
    }
    const { kind, uid } = resource
    doubts.note(project, { rule: active.rule.id, kind, uid }, kind === active.rule.kind)
    return undefined
  }

  const surroundingsOf = (
    { project, since = emptyContext.since }: EvaluationSubject,
    onNow?: () => void,
  ): EvaluationContext => {
    if (onNow === undefined && since === emptyContext.since && plain?.run?.project === project) return plain
    const labels = labelsOf(project)
    if (onNow === undefined) {
      plain = { labels, since, run: { ...run, project } }
      return plain
    }
    return { labels, since, run: observingNow({ labelsOf, meter: run.meter, project }, now, onNow), onNow }
  }

  const collect = (project: ProjectRef, resource: Resource) => {
    const set = setFor.resource(project, resource)
    count(tallyOf(project), set.byId, resource.kind)
    const place: FindingPlace = { project, kind: resource.kind, uid: resource.uid, name: resource.name }
    if (set !== setFor.everyone) exceptions.set(keyOf(place), set)
    waiving.remember(project, resource)
    const isEvaluated = (rule: string) => set.byId.has(rule)
    fleetFolds.visit(resource, place, isEvaluated)
    foldsOf(project).visit(resource, place, isEvaluated)
  }

  return {
    lookbackMs: lookbackOf(policy),
    datesOf(resource) {
      return datings.flatMap(({ kind, dates }) => (kind === resource.kind ? dates(resource) : []))
    },
    evaluate(project, resource, since) {
      const findings: Finding[] = []
      const surroundings = surroundingsOf({ project, resource, since })
      for (const { active, bound } of setFor.resource(project, resource).byKind.get(resource.kind) ?? []) {
        const found = findWith(active, project, resource, (seen) => bound.check(seen, now, surroundings))
        for (const finding of found ?? []) findings.push(finding)
      }
      collect(project, resource)
      return findings
    },
    rulesFor: (project, resource) =>
      (setFor.resource(project, resource).byKind.get(resource.kind) ?? []).map(({ active }) => active),
    ask(active, subject, onNow) {
      const { bound } = active
      if (bound.scope !== 'resource') return []
      const { project, resource } = subject
      const surroundings = surroundingsOf(subject, onNow)
      return findWith(active, project, resource, (seen) => bound.check(seen, now, surroundings))
    },
    collect,
    compare(project, resource, drift) {
      const rules = setFor.resource(project, resource).drift.filter(({ bound }) => bound.kinds.includes(drift.kind))
      return rules.flatMap(
        ({ active, bound }) =>
          findWith(active, project, resource, (seen) => {
            return bound.check(seen === resource ? drift : { ...drift, after: seen.attributes }, now)
          }) ?? [],
      )
    },
    evaluateScan(project, resource, scan) {
      const rules = setFor.resource(project, resource).scan
      return rules.flatMap(({ active, bound }) => findWith(active, project, resource, () => bound.check(scan)) ?? [])
    },
    optionsOf: (project, resource, rule) => setFor.resource(project, resource).byId.get(rule)?.options,
    concludeProject(project, completeness) {
      const folds = foldsOf(project)
      projectFolds.delete(project.name)
      return findingsOf(folds, completeness).map(({ finding }) => finding)
    },
    concludeFleet(completeness) {
      return findingsOf(fleetFolds, completeness).filter(({ project }) => !forgotten.has(project.name))
    },
    failuresIn,
    statsOf: (project) =>
      countEvaluated(tallies.get(project.name), named, failuresIn(project), (rule, kind) =>
        doubts.count(project, rule, kind),
      ),
    forget(project) {
      projectFolds.delete(project.name)
      tallies.delete(project.name)
      doubts.forget(project)
      forgotten.add(project.name)
    },
    doubts,
    waiving,
    needsOf: (rule) => needs.get(rule),
  }
}

function needsFor({ needs, scope, custom }: Rule): Needs {
  return { kinds: needs, scope, ...(custom === undefined ? {} : { isCustom: true }) }
}

function stamp(
  { rule, severity }: ActiveRule,
  { kind, uid, name }: { readonly kind: Kind; readonly uid: string; readonly name: string },
  problem: RuleFinding,
): Finding {
  return {
    rule: rule.id,
    severity: severity ?? problem.severity ?? rule.severity,
    kind,
    uid,
    name,
    path: problem.path,
    message: withoutMarks(problem.message),
  }
}
