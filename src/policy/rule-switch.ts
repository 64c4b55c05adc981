import { decidedAt, type EndedBy } from '../model/ending.ts'
import { memberOf } from '../model/json.ts'
import type { FileLocation } from '../model/schema.ts'
import { overdueRule } from '../model/violation.ts'
import { formerRules } from '../rules/former-rules.ts'
import type { Layer, Policy, RuleStatement, RuleTarget } from './policy.ts'

/** Whether a policy has a rule on for a resource, and what in it decides that. */
export interface RuleSwitch {
  readonly isOff: boolean
  /** As it is said of a violation that the policy ends. */
  readonly ended_by: EndedBy
}

/** An override that names the rule is more particular than all else. */
export function switchOf(policy: Policy, rule: string, { project, labels, resource }: RuleTarget): RuleSwitch {
  const instead = memberOf(formerRules, rule)
  if (instead !== undefined) {
    const reason = `there is no such rule any longer: ${instead}`
    return { isOff: true, ended_by: decidedAt('rule_off', { reason, configuredAt: null }) }
  }
  const matched = policy.overrides.flatMap((override) =>
    override.rules.includes(rule) && override.matches(project, labels, resource) ? [override.layer] : [],
  )
  const ofSome = lastStatement(matched, rule)
  const statement = ofSome ?? lastStatement(policy.layers, rule)
  // Without due dates, nothing is ever overdue.
  const isPointless = rule === overdueRule && Object.keys(policy.due).length === 0
  // Naming a rule switches it on.
  const isOff = statement === undefined || isPointless || isSwitchedOff(statement)
  return {
    isOff,
    ended_by: decidedAt(ofSome === undefined ? 'rule_off' : 'override', {
      reason: isOff ? null : requiresLess,
      configuredAt: statement === undefined || isPointless ? locationOfPolicy(policy) : policy.locationOf(statement.at),
    }),
  }
}

/** What a policy says of a violation whose rule is on and no longer finds it. */
const requiresLess = 'the rule is on but requires less'

function lastStatement(layers: readonly Layer[], rule: string): RuleStatement | undefined {
  return layers.findLast((layer) => layer.has(rule))?.get(rule)
}

function isSwitchedOff({ setting }: RuleStatement): boolean {
  return (typeof setting === 'string' ? setting : setting.severity) === 'off'
}

/** A rule that no layer names was left out by what the file extends: by its last pack, or by the file as a whole. */
function locationOfPolicy({ layers, file, locationOf }: Policy): FileLocation | null {
  for (const layer of layers.toReversed()) {
    const [said] = layer.values()
    if (said?.layer.startsWith('pack ') && said.at !== undefined) return locationOf(said.at)
  }
  return file === undefined ? null : { file, line: 1 }
}
