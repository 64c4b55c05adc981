import { decidedAt, type Ending } from '../model/ending.ts'
import { writeDuration } from '../model/instant.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import type { RuleSwitch } from '../policy/rule-switch.ts'

/** A violation that the policy no longer asks for. */
export function byPolicy({ endedBy }: Pick<RuleSwitch, 'endedBy'>): Ending {
  return { resolution: 'policy', endedBy }
}

/** A violation in a field whose changes the policy no longer takes for drift. */
export function endingOfIgnored({ path, at }: IgnoredPath, { placeOf }: Pick<PolicyEvaluator, 'placeOf'>): Ending {
  return byPolicy({ endedBy: decidedAt('rule_off', { reason: `changes of ${path} are ignored`, place: placeOf(at) }) })
}

/** A violation whose value is not back after the time that its rule keeps it open. */
export function endingOfExpiry(openForMs: number, { endedBy }: Pick<RuleSwitch, 'endedBy'>): Ending {
  const reason = `not put back within ${writeDuration(openForMs)}`
  return { resolution: 'expired', endedBy: decidedAt('expiry', { reason, place: endedBy.configured_at }) }
}
