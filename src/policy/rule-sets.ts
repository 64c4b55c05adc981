import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { BoundRule } from '../rules/engine/rule.ts'
import type { ActiveRule, Policy } from './policy.ts'
import type { Labels } from './selector.ts'

/** The rules that hold for resources that the same overrides match. */
export interface RuleSet {
  readonly byKind: ReadonlyMap<Kind, readonly BoundRules<'resource'>[]>
  readonly drift: readonly BoundRules<'drift'>[]
  readonly scan: readonly BoundRules<'scan'>[]
  readonly byId: ReadonlyMap<string, ActiveRule>
}

export interface BoundRules<Scope extends BoundRule['scope']> {
  readonly active: ActiveRule
  readonly bound: Extract<BoundRule, { scope: Scope }>
}

/** The rules that hold for a resource; those of resources that the same overrides match are worked out once. */
export function ruleSets(policy: Policy, labelsOf: (project: ProjectRef) => Labels) {
  const everyone = ruleSetOf(policy.rules)
  const sets = new Map([['', everyone]])
  return {
    everyone,
    resource(project: ProjectRef, resource: Resource): RuleSet {
      if (policy.overrides.length === 0) return everyone
      const labels = labelsOf(project)
      const places = policy.overrides.flatMap((override, place) =>
        override.matches(project, labels, resource) ? [place] : [],
      )
      const key = places.join(' ')
      const set = sets.get(key) ?? ruleSetOf(policy.rulesUnder(places))
      sets.set(key, set)
      return set
    },
  }
}

function ruleSetOf(rules: readonly ActiveRule[]): RuleSet {
  return {
    byKind: Map.groupBy(boundAs(rules, 'resource'), ({ active }) => active.rule.kind),
    drift: boundAs(rules, 'drift'),
    scan: boundAs(rules, 'scan'),
    byId: new Map(rules.map((active) => [active.rule.id, active])),
  }
}

function boundAs<Scope extends BoundRule['scope']>(rules: readonly ActiveRule[], scope: Scope): BoundRules<Scope>[] {
  const isOf = (bound: BoundRule): bound is BoundRules<Scope>['bound'] => bound.scope === scope
  return rules.flatMap((active) => (isOf(active.bound) ? [{ active, bound: active.bound }] : []))
}

/** How far back rules read changes, at most, with every override. */
export function lookbackOf(policy: Policy): number {
  const all = [policy.rules, ...policy.overrides.map((_, place) => policy.rulesUnder([place]))]
  return Math.max(0, ...all.flatMap((rules) => boundAs(rules, 'drift').map(({ bound }) => bound.lookbackMs)))
}
