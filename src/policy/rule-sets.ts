import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { BoundRule } from '../rules/engine/rule.ts'
import type { ActiveRule, Policy } from './policy.ts'
import type { Labels } from './selector.ts'

/** The rules for resources that the same overrides match. */
export interface RuleSet {
  readonly byKind: ReadonlyMap<Kind, readonly BoundRules<'resource'>[]>
  readonly drift: readonly BoundRules<'drift'>[]
  readonly scan: readonly BoundRules<'scan'>[]
  readonly violations: readonly BoundRules<'violations'>[]
  readonly byId: ReadonlyMap<string, ActiveRule>
}

export interface BoundRules<Scope extends BoundRule['scope']> {
  readonly active: ActiveRule
  readonly bound: Extract<BoundRule, { scope: Scope }>
}

/** Names the overrides that match a resource, by their indexes in the policy's list; empty where none does. */
export type OverrideKey = string

export interface RuleSets {
  /** The rules where no override matches. */
  readonly everyone: RuleSet
  keyFor(project: ProjectRef, resource: Resource): OverrideKey
  /** The rules for a resource. */
  of(project: ProjectRef, resource: Resource): RuleSet
  /** Resources that the same overrides match share one set. */
  under(key: OverrideKey): RuleSet
}

export function ruleSets(policy: Policy, labelsOf: (project: ProjectRef) => Labels): RuleSets {
  const everyone = ruleSetOf(policy.rules)
  const sets = new Map<OverrideKey, RuleSet>([['', everyone]])
  const keyFor: RuleSets['keyFor'] = (project, resource) => {
    if (policy.overrides.length === 0) return ''
    const labels = labelsOf(project)
    const indexes = policy.overrides.flatMap((override, index) =>
      override.matches(project, labels, resource) ? [index] : [],
    )
    return indexes.join(' ')
  }
  const under: RuleSets['under'] = (key) => {
    const set = sets.get(key) ?? ruleSetOf(policy.rulesUnder(key.split(' ').map(Number)))
    sets.set(key, set)
    return set
  }
  const hasOverrides = policy.overrides.length > 0
  return {
    everyone,
    keyFor,
    of: (project, resource) => (hasOverrides ? under(keyFor(project, resource)) : everyone),
    under,
  }
}

function ruleSetOf(rules: readonly ActiveRule[]): RuleSet {
  return {
    byKind: Map.groupBy(boundAs(rules, 'resource'), ({ active }) => active.rule.kind),
    drift: boundAs(rules, 'drift'),
    scan: boundAs(rules, 'scan'),
    violations: boundAs(rules, 'violations'),
    byId: new Map(rules.map((active) => [active.rule.id, active])),
  }
}

function boundAs<Scope extends BoundRule['scope']>(rules: readonly ActiveRule[], scope: Scope): BoundRules<Scope>[] {
  const isOf = (bound: BoundRule): bound is BoundRules<Scope>['bound'] => bound.scope === scope
  return rules.flatMap((active) => (isOf(active.bound) ? [{ active, bound: active.bound }] : []))
}

/** How far back rules read changes, at most, with every override. */
export function lookbackOf(policy: Policy): number {
  const all = [policy.rules, ...policy.overrides.map((_, index) => policy.rulesUnder([index]))]
  return Math.max(0, ...all.flatMap((rules) => boundAs(rules, 'drift').map(({ bound }) => bound.lookbackMs)))
}
