import { messageOf } from '../model/errors.ts'
import { type ResourceKey, resourceKey } from '../model/keys.ts'
import { isReadable, type Kind, type ProjectRef, type Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { Drift } from '../rules/engine/drift.ts'
import {
  type Completeness,
  type EvaluationContext,
  type EvaluationRun,
  emptyContext,
  type ResourceContext,
  type Rule,
  type RuleFinding,
} from '../rules/engine/rule.ts'
import type { RuleTime } from '../rules/engine/rule-time.ts'
import type { ScanOutcome } from '../rules/engine/scan-outcome.ts'
import { gatherDoubts } from './doubts.ts'
import type { EvaluationOutcome } from './evaluation-outcome.ts'
import { type FactSettings, gatherFleetFacts, type KnownFacts } from './fleet-facts.ts'
import type { ActiveRule, Policy } from './policy.ts'
import type { BoundRules, RuleSet, RuleSets } from './rule-sets.ts'
import { type RuleSwitch, switchOf } from './rule-switch.ts'
import { startAggregations } from './run-aggregations.ts'
import { stamp } from './stamp.ts'
import { count, countEvaluated, type Tally } from './tally.ts'
import { acceptingPlaces, coveringPlaces, type WaiverPlaces, waiveUnder } from './waiving.ts'
import { type OnRead, trackReads, watchChanges } from './watch-reads.ts'

/** Evaluates a project's resources in the order of walking; rules across resources conclude at the end. */
export interface ProjectEvaluator {
  readonly project: ProjectRef
  /** A place of the policy (`file:line:column`) as reports name it. */
  readonly placeOf: Policy['placeOf']
  /** Findings of the rules about one resource. Also passes it to the rules across resources. */
  evaluate(resource: Resource, since?: EvaluationContext['since']): Finding[]
  /** The rules about one resource. `evaluate` runs each, and then collects the resource. */
  rulesFor(resource: Resource): readonly ActiveRule[]
  /** Findings of one of those rules; undefined where it failed or could not evaluate. */
  evaluateRule(active: ActiveRule, resource: Resource, since?: EvaluationContext['since']): Finding[] | undefined
  /** Passes a resource to the rules across resources, and counts it as evaluated. */
  collect(resource: Resource): void
  /**
   * Findings in the drift of a resource. `originRun`: the run whose scan shows what it is compared with; violations that
   * last until the value is back keep it.
   */
  compare(resource: Resource, drift: Drift, originRun?: number): Finding[]
  /** Findings of one drift rule; undefined where it failed, could not evaluate, or is off for the resource. */
  compareBy(rule: string, resource: Resource, drift: Drift): Finding[] | undefined
  /** Whether a rule is on for a resource, and what in the policy decides that. */
  switchOf(resource: Resource, rule: string): RuleSwitch
  /** For how long violations of a drift rule stay open while the value is not back, in milliseconds. */
  openForMs(resource: Resource, rule: string): number
  /** Findings in the scan itself. */
  evaluateScan(resource: Resource, scan: ScanOutcome): Finding[]
  /** Findings of the rules across the project's resources, after all resources. */
  conclude(completeness: Completeness): Finding[]
  /** What the end of the run needs. */
  outcome(): EvaluationOutcome
  /** What resources alone decide of it, and until when (milliseconds since the epoch), once rules have concluded. */
  resourceOutcome(): { readonly outcome: EvaluationOutcome; readonly until: number }
}

/** What the evaluations of all projects of a run share. */
export interface SharedEvaluation {
  readonly policy: Policy
  readonly run: EvaluationRun
  readonly time: RuleTime
  readonly named: readonly ActiveRule[]
  readonly sets: RuleSets
  /** Places of the waivers for later findings about a resource: in its project, and across projects. */
  readonly projectWaivers: WaiverPlaces
  readonly fleetWaivers: WaiverPlaces
}

interface Known {
  /** What the same rules kept of resources in earlier runs. */
  readonly facts: KnownFacts | undefined
}

export function evaluateProject(
  project: ProjectRef,
  excluded: ReadonlyMap<string, string>,
  { policy, run, time, named, sets, projectWaivers, fleetWaivers, facts }: SharedEvaluation & Known,
): ProjectEvaluator {
  const { now } = run
  const { waivers } = policy
  const labels = run.labelsOf(project)
  const { labelsOf, meter } = run
  const inProject: ResourceContext = {
    ...{ labelsOf, meter, project },
    get now() {
      return time.now
    },
  }
  const plain: EvaluationContext = { labels, since: emptyContext.since, run: inProject }
  const failures = new Map(excluded)
  const doubts = gatherDoubts()
  const tally: Tally = new Map()
  /** By findings of rules that read resources alone; and by those that compare or read the scan. */
  const usedWaivers = new Set<number>()
  const usedByScan = new Set<number>()
  let foldsUntil = Number.POSITIVE_INFINITY
  /** Rules and waivers of resources that a later finding may name, where they differ from the default. */
  const exceptions = new Map<ResourceKey, RuleSet>()
  const accepted = new Map<ResourceKey, WaiverPlaces>()

  /** A rule that throws must neither end the run nor resolve a violation. */
  const failed = ({ id }: Rule, error: unknown) => {
    if (!failures.has(id)) failures.set(id, messageOf(error))
  }
  const asked = excluded.size === 0 ? named : named.filter(({ rule }) => !excluded.has(rule.id))
  const aggregations = startAggregations(asked, { run: inProject, now, doubts, failed })
  const fleetFacts = gatherFleetFacts(asked, { known: facts, doubts, failed })

  const isAsked = ({ active }: { readonly active: ActiveRule }) => !excluded.has(active.rule.id)
  const ruleSetOf = (resource: Resource) => sets.under(sets.keyFor(project, resource))
  const accepting = (resource: Resource, among: WaiverPlaces) =>
    among.length === 0 ? none : acceptingPlaces(waivers, among, { project, labels, resource })

  const waive = (finding: Finding, places: WaiverPlaces, notes: Set<number>): Finding => {
    if (places.length === 0) return finding
    const { finding: waived, used } = waiveUnder(waivers, places, finding, now)
    for (const place of used) notes.add(place)
    return waived
  }

  /** Notes until when the answers of rules across resources hold. */
  const timed = <Result>(work: () => Result): Result => {
    time.takeNextChange()
    const result = work()
    foldsUntil = Math.min(foldsUntil, time.takeNextChange())
    return result
  }

  /** undefined where the rule failed or read what no rule can rely on. `seen`: the resource, watched if it has such fields. */
  const findWith = (
    active: ActiveRule,
    resource: Resource,
    check: (seen: Resource, onRead?: OnRead) => Iterable<RuleFinding>,
    notes = usedByScan,
  ): Finding[] | undefined => {
    const watched = isReadable(resource) ? undefined : trackReads(resource)
    try {
      let findings = noFindings
      for (const problem of check(watched?.seen ?? resource, watched?.onRead)) {
        const finding = stamp(active, resource, problem)
        if (findings === noFindings) findings = []
        findings.push(waive(finding, accepting(resource, coveringPlaces(waivers, [finding.rule])), notes))
      }
      if (!watched?.hasRead()) return findings
    } catch (error) {
      if (!watched?.hasRead()) {
        failed(active.rule, error)
        return undefined
      }
    }
    doubts.note(active.rule.id, resource, { read: watched.read, counts: resource.kind === active.rule.kind })
    return undefined
  }

  const evaluateBy = (active: ActiveRule, resource: Resource, since = plain.since) => {
    const { bound } = active
    if (bound.scope !== 'resource') return []
    const context = since === plain.since ? plain : { ...plain, since }
    return findWith(active, resource, (seen) => bound.check(seen, time, context), usedWaivers)
  }

  const rulesOf = (set: RuleSet, kind: Kind) => {
    const rules = set.byKind.get(kind) ?? []
    return (excluded.size === 0 ? rules : rules.filter(isAsked)).map(({ active }) => active)
  }
  const listsOf = new Map<RuleSet, Map<Kind, readonly ActiveRule[]>>()
  const rulesFor = (resource: Resource) => {
    const set = ruleSetOf(resource)
    const lists = listsOf.get(set) ?? new Map<Kind, readonly ActiveRule[]>()
    if (lists.size === 0) listsOf.set(set, lists)
    const rules = lists.get(resource.kind) ?? rulesOf(set, resource.kind)
    lists.set(resource.kind, rules)
    return rules
  }

  const driftRules = (resource: Resource) =>
    ruleSetOf(resource).drift.filter((one) => isAsked(one) && one.bound.kinds.includes(resource.kind))
  const compareWith = ({ active, bound }: BoundRules<'drift'>, resource: Resource, drift: Drift) =>
    findWith(active, resource, (seen, onRead) => {
      if (onRead === undefined) return bound.check(drift, now)
      const fields = watchChanges(drift.fields, resource.unseen ?? none, onRead)
      return bound.check({ ...drift, after: seen.attributes, fields }, now)
    })

  const collect = (resource: Resource) => {
    const { kind, uid, name } = resource
    const set = ruleSetOf(resource)
    count(tally, set.byId, kind)
    if (set !== sets.everyone) exceptions.set(resourceKey(resource), set)
    const places = accepting(resource, projectWaivers)
    if (places.length > 0) accepted.set(resourceKey(resource), places)
    const isEvaluated = (rule: string) => set.byId.has(rule)
    const settings = (): FactSettings => ({
      override: sets.keyFor(project, resource),
      waivers: accepting(resource, fleetWaivers),
    })
    timed(() => {
      fleetFacts.visit(resource, isEvaluated, settings)
      aggregations.visit(resource, { project, kind, uid, name }, isEvaluated)
    })
  }

  const outcomeWith = (used: Iterable<number>): EvaluationOutcome => {
    const { resources, evaluatedByRule } = countEvaluated(tally, asked, doubts.count)
    const silent = Object.fromEntries([...excluded.keys()].map((rule) => [rule, 0]))
    return {
      resources,
      evaluatedByRule: { ...evaluatedByRule, ...silent },
      failures: Object.fromEntries(failures),
      doubts: doubts.list(),
      usedWaivers: [...used],
      facts: fleetFacts.list(),
    }
  }

  return {
    project,
    placeOf: policy.placeOf,
    rulesFor,
    evaluateRule: evaluateBy,
    collect,
    evaluate(resource, since) {
      const findings: Finding[] = []
      for (const active of rulesFor(resource)) {
        const found = evaluateBy(active, resource, since)
        if (found === undefined || found === noFindings) continue
        for (const finding of found) findings.push(finding)
      }
      collect(resource)
      return findings
    },
    compare: (resource, drift, originRun) =>
      driftRules(resource).flatMap((rule) => {
        const findings = compareWith(rule, resource, drift) ?? []
        return rule.active.rule.life === 'restored' ? findings.map((finding) => ({ ...finding, originRun })) : findings
      }),
    compareBy(id, resource, drift) {
      const rule = driftRules(resource).find(({ active }) => active.rule.id === id)
      return rule && compareWith(rule, resource, drift)
    },
    switchOf: (resource, rule) => switchOf(policy, rule, { project, labels, resource }),
    openForMs: (resource, id) =>
      driftRules(resource).find(({ active }) => active.rule.id === id)?.bound.openForMs ?? Number.POSITIVE_INFINITY,
    evaluateScan(resource, scan) {
      const rules = ruleSetOf(resource).scan.filter(isAsked)
      return rules.flatMap(({ active, bound }) => findWith(active, resource, () => bound.check(scan)) ?? [])
    },
    conclude(completeness) {
      return timed(() => aggregations.conclude(completeness)).flatMap(({ rule, problem }) => {
        const key = resourceKey(problem.at)
        const active = (exceptions.get(key) ?? sets.everyone).byId.get(rule.id)
        return active === undefined
          ? []
          : [waive(stamp(active, problem.at, problem), accepted.get(key) ?? none, usedWaivers)]
      })
    },
    outcome: () => outcomeWith(new Set([...usedWaivers, ...usedByScan])),
    resourceOutcome: () => ({ outcome: outcomeWith(usedWaivers), until: foldsUntil }),
  }
}

const none: readonly never[] = []
/** Shared by all checks that find nothing: most do. */
const noFindings: Finding[] = []
