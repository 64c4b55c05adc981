import type { Kind } from '../model/resource.ts'
import type { DriftLife, Rule } from '../rules/engine/rule.ts'
import { namedRules, type Policy } from './policy.ts'

/** What a rule must see completely before the absence of a finding proves anything. */
export interface Needs {
  readonly kinds: readonly Kind[]
  readonly scope: Rule['scope']
  /** Of a drift rule: what ends its violations. */
  readonly life?: DriftLife
  /** A rule of the policy file: its failure is not a bug of hookdrift. */
  readonly isCustom?: true
}

/** By rule; without rules that the policy turns off. */
export type RuleNeeds = ReadonlyMap<string, Needs>

export function ruleNeeds(policy: Policy): RuleNeeds {
  return new Map(
    namedRules(policy).map(({ rule: { id, needs, scope, life, custom } }) => [
      id,
      {
        kinds: needs,
        scope,
        ...(life === undefined ? {} : { life }),
        ...(custom === undefined ? {} : { isCustom: true as const }),
      },
    ]),
  )
}
