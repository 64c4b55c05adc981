import type { Json } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import type { EvaluationRun } from '../rules/engine/rule.ts'
import { evaluateProject, type ProjectEvaluator } from './evaluate-project.ts'
import { startMeter } from './meter.ts'
import { namedRules, type Policy } from './policy.ts'
import { ruleNeeds } from './rule-needs.ts'
import { lookbackOf, ruleSets } from './rule-sets.ts'
import type { Labels } from './selector.ts'
import { coveringPlaces } from './waiving.ts'

/** A policy, ready to evaluate the projects of one run. Nothing passes from one project to another. */
export interface PolicyEvaluator {
  /** How far back rules look for changes, at most. */
  readonly lookbackMs: number
  /** What rules need to see completely, by rule. */
  readonly needs: ReturnType<typeof ruleNeeds>
  /** Paths of a resource of which its evaluation needs to know since when they hold their value. */
  datesOf(resource: Resource): readonly string[]
  /** What a rule is given to judge a resource by; undefined where it is off. */
  optionsOf(project: ProjectRef, resource: Resource, rule: string): Json | undefined
  /** `excluded`: rules that are not asked here, with the reason. */
  forProject(project: ProjectRef, excluded?: ReadonlyMap<string, string>): ProjectEvaluator
}

/** `now`: milliseconds since the epoch, one for the whole run. `clock` bounds what custom rules take of it. */
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
  const laterWaivers = (scope: 'project' | 'fleet') =>
    coveringPlaces(
      policy.waivers,
      named.flatMap(({ rule }) => (rule.scope === scope ? [rule.id] : [])),
    )
  const sets = ruleSets(policy, labelsOf)
  const shared = {
    ...{ policy, run, named, sets },
    projectWaivers: laterWaivers('project'),
    fleetWaivers: laterWaivers('fleet'),
  }
  return {
    lookbackMs: lookbackOf(policy),
    needs: ruleNeeds(policy),
    datesOf: (resource) => datings.flatMap(({ kind, dates }) => (kind === resource.kind ? dates(resource) : [])),
    optionsOf: (project, resource, rule) => sets.under(sets.keyFor(project, resource)).byId.get(rule)?.options,
    forProject: (project, excluded = new Map()) => evaluateProject(project, excluded, shared),
  }
}
