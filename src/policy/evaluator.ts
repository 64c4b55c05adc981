import type { Json } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import {
  type EvaluationRun,
  emptyContext,
  type Meter,
  type OverdueViolations,
  type Rule,
  ruleTime,
} from '../rules/engine/rule.ts'
import { coveringWaivers, stamp } from './findings.ts'
import { namedRules, type Policy, ruleNeeds } from './policy.ts'
import { ProjectEvaluator } from './project-evaluator.ts'
import { lookbackOf, ruleSets } from './rule-sets.ts'
import { type RuleSwitch, switchOf } from './rule-switch.ts'
import type { Labels } from './selector.ts'

/** A policy, ready to evaluate the projects of one run. Projects share no state. */
export interface PolicyEvaluator {
  /** How far back rules read changes, at most. */
  readonly lookbackMs: number
  /** What each rule needs to see completely. */
  readonly needs: ReturnType<typeof ruleNeeds>
  /** Paths of a resource whose evaluation needs the time of their last change. */
  datesOf(resource: Resource): readonly string[]
  /** Options of a rule for a resource; undefined where the rule is off. */
  optionsOf(project: ProjectRef, resource: Resource, rule: string): Json | undefined
  /** A position in the policy (`file:line:column`) as reports name it. */
  readonly locationOf: Policy['locationOf']
  /** Rules that an override names. */
  readonly overridden: ReadonlySet<string>
  /** Whether a rule is on for a resource, and what in the policy decides that. */
  switchOf(project: ProjectRef, resource: Resource, rule: string): RuleSwitch
  /**
   * Whether a rule about one resource finds the same in another state of it, with the options for what it is today;
   * undefined where that takes more than the state: since when, or what moves by itself.
   */
  finds(
    project: ProjectRef,
    resource: Resource,
    finding: Pick<Finding, 'rule' | 'path'>,
    today: Resource,
  ): boolean | undefined
  /** Whether a rule that counts changes would say of many of them what a finding says: with the same options, it would. */
  countsAlike(project: ProjectRef, resource: Resource, finding: Pick<Finding, 'rule' | 'path' | 'message'>): boolean
  /** Findings about a project of which some violations are past their due date. Waivers are for these violations. */
  evaluateOverdue(project: ProjectRef, overdue: readonly OverdueViolations[]): readonly Finding[]
  /** `excluded`: rules that do not run here, with the reason. */
  forProject(project: ProjectRef, excluded?: ReadonlyMap<string, string>): ProjectEvaluator
}

/** `now`: milliseconds since the epoch, one for the whole run. `clock` limits the time of custom rules. */
export function createEvaluator(
  policy: Policy,
  now: number,
  labelsOf: (project: ProjectRef) => Labels = () => ({}),
  clock: () => number = () => 0,
): PolicyEvaluator {
  const run: EvaluationRun = { now, labelsOf, meter: startMeter(clock) }
  const time = ruleTime(now)
  const named = namedRules(policy)
  const datings = named.flatMap(({ rule: { kind }, bound }) =>
    bound.scope === 'resource' && bound.dates !== undefined ? [{ kind, dates: bound.dates }] : [],
  )
  const sets = ruleSets(policy, labelsOf)
  const waiversFor = (scope: Rule['scope']) =>
    coveringWaivers(
      policy.waivers,
      named.flatMap(({ rule }) => (rule.scope === scope ? [rule.id] : [])),
    )
  const shared = {
    policy,
    run,
    time,
    named,
    sets,
    projectWaivers: waiversFor('project'),
    fleetWaivers: waiversFor('fleet'),
  }
  return {
    lookbackMs: lookbackOf(policy),
    needs: ruleNeeds(policy),
    datesOf: (resource) => datings.flatMap(({ kind, dates }) => (kind === resource.kind ? dates(resource) : [])),
    optionsOf: (project, resource, rule) => sets.of(project, resource).byId.get(rule)?.options,
    locationOf: policy.locationOf,
    overridden: new Set(policy.overrides.flatMap((override) => override.rules)),
    switchOf: (project, resource, rule) => switchOf(policy, rule, { project, labels: labelsOf(project), resource }),
    finds(project, resource, { rule, path }, today) {
      const one = sets
        .of(project, today)
        .byKind.get(today.kind)
        ?.find(({ active }) => active.rule.id === rule)
      if (one === undefined) return false
      if (one.bound.dates !== undefined || one.active.rule.unrecorded !== undefined) return undefined
      const context = {
        labels: labelsOf(project),
        since: emptyContext.since,
        run: { labelsOf, meter: run.meter, project, now },
      }
      try {
        return [...one.bound.check(resource, time, context)].some((finding) => finding.path === path)
      } catch {
        // It was made for another form of the resource.
        return undefined
      }
    },
    countsAlike(project, resource, { rule, path, message }) {
      const one = sets.of(project, resource).drift.find(({ active }) => active.rule.id === rule)
      const { kind, uid, name, attributes } = resource
      const recent = new Map([[path, new Array<number>(many).fill(now)]])
      const compared = { fields: [], isApproved: false, areSealsComparable: true, recent }
      const drift = { kind, uid, name, change: 'none', before: attributes, after: attributes, ...compared } as const
      return [...(one?.bound.check(drift, now) ?? [])].some((finding) => message.startsWith(finding.message))
    },
    evaluateOverdue(project, overdue) {
      const self: Resource = { kind: 'policy', uid: project.uid, name: '', attributes: {}, volatile: {}, facts: {} }
      const active = sets.of(project, self).violations
      return active.flatMap(({ active, bound }) =>
        overdue.flatMap((group) => [...bound.check(group)].map((ruleFinding) => stamp(active, self, ruleFinding))),
      )
    },
    forProject: (project, excluded = new Map()) => new ProjectEvaluator(project, excluded, shared),
  }
}

/** More changes than any policy counts. */
const many = 1000

/**
 * Time limit of all custom rules of a run together. A million resources and a dozen rules take about a quarter of it.
 */
const limitMs = 60_000

/** `clock`: milliseconds; only differences count. */
function startMeter(clock: () => number): Meter {
  let usedMs = 0
  let since: number | undefined
  return {
    begin() {
      since = clock()
    },
    end() {
      if (since !== undefined) usedMs += clock() - since
      since = undefined
    },
    isSpent: () => usedMs + (since === undefined ? 0 : clock() - since) > limitMs,
  }
}
