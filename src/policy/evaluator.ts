import type { Json } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { EvaluationRun, Meter, OverdueViolations, Rule } from '../rules/engine/rule.ts'
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
  /** Findings about a project of which some violations are past their due date. Waivers are for these violations. */
  evaluateOverdue(project: ProjectRef, overdue: readonly OverdueViolations[]): readonly Finding[]
  /**
   * `excluded`: rules that do not run here, with the reason. `asToday`: the resource by which overrides are chosen; default:
   * the one that is evaluated. `lacks`: what the licence does not have: rules that need it do not apply.
   */
  forProject(
    project: ProjectRef,
    excluded?: ReadonlyMap<string, string>,
    asToday?: (resource: Resource) => Resource,
    lacks?: readonly string[],
  ): ProjectEvaluator
}

/** `now`: milliseconds since the epoch, one for the whole run. `clock` limits the time of custom rules. */
export function createEvaluator(
  policy: Policy,
  now: number,
  labelsOf: (project: ProjectRef) => Labels = () => ({}),
  clock: () => number = () => 0,
): PolicyEvaluator {
  const run: EvaluationRun = { now, labelsOf, meter: startMeter(clock) }
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
    evaluateOverdue(project, overdue) {
      const self: Resource = { kind: 'policy', uid: project.uid, name: '', attributes: {}, volatile: {}, facts: {} }
      const active = sets.of(project, self).violations
      return active.flatMap(({ active, bound }) =>
        overdue.flatMap((group) => [...bound.check(group)].map((ruleFinding) => stamp(active, self, ruleFinding))),
      )
    },
    forProject: (project, excluded = new Map(), asToday = (resource) => resource, lacks = []) =>
      new ProjectEvaluator(project, excluded, { ...shared, asToday, lacks }),
  }
}

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
