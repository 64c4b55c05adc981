import type { Kind } from '../model/resource.ts'
import type { Rule } from '../rules/engine/rule.ts'
import { namedRules, type Policy } from './policy.ts'

/** What a rule needs to see completely before its silence means anything. */
export interface Needs {
  readonly kinds: readonly Kind[]
  readonly scope: Rule['scope']
  /** A rule of the policy file: when it fails, that is not our bug. */
  readonly isCustom?: true
}

/** By rule; a rule that the policy has off is not there. */
export type RuleNeeds = ReadonlyMap<string, Needs>

export function ruleNeeds(policy: Policy): RuleNeeds {
  return new Map(
    namedRules(policy).map(({ rule: { id, needs, scope, custom } }) => [
      id,
      { kinds: needs, scope, ...(custom === undefined ? {} : { isCustom: true as const }) },
    ]),
  )
}
