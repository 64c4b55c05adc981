import type { Json } from '../model/json.ts'

/**
 * The one value that ends a violation of a rule. It follows from the rule and its options alone; where a person has to
 * choose, a rule has none. A number that breaks a bound becomes the nearest whole number within it.
 */
export type ReadyFix = FixedValue | Bound

interface FixedValue {
  /** JSON Pointer into the attributes. */
  readonly path: string
  readonly value: Json
}

/** `option`: the name of the option that has the bound. */
export interface Bound {
  readonly path: string
  readonly bound: 'most' | 'least'
  readonly option: string
}

/** By rule. A table of its own, because text reports read it, and they load no rules. */
export const readyFixes: Readonly<Record<string, ReadyFix>> = {
  'endpoint/inactive': { path: '/status', value: 'active' },
  'endpoint/paused-long': { path: '/status', value: 'active' },
  'endpoint/signature-simple': { path: '/advanced_signatures', value: true },
  'endpoint/timeout-high': { path: '/http_timeout', bound: 'most', option: 'max_seconds' },
  'endpoint/timeout-low': { path: '/http_timeout', bound: 'least', option: 'min_seconds' },
  'project/dynamic-urls-unmatched': { path: '/config/allow_unmatched_dynamic_urls', value: false },
  'project/disable-endpoint-off': { path: '/config/disable_endpoint', value: true },
  'project/replay-protection-off': { path: '/config/replay_attacks_prevention_enabled', value: true },
  'project/retry-few': { path: '/config/strategy/retry_count', bound: 'least', option: 'min_tries' },
  'project/tls-not-enforced': { path: '/config/ssl/enforce_secure_endpoints', value: true },
  'source/disabled': { path: '/is_disabled', value: false },
  'subscription/at-most-once': { path: '/delivery_mode', value: 'at_least_once' },
  'subscription/retry-few': { path: '/retry_config/retry_count', bound: 'least', option: 'min_tries' },
  'subscription/retry-many': { path: '/retry_config/retry_count', bound: 'most', option: 'max_tries' },
}

export function readyFixOf(rule: string): ReadyFix | undefined {
  return Object.hasOwn(readyFixes, rule) ? readyFixes[rule] : undefined
}

/** The whole number nearest to a bound that is broken; undefined where only 0 is, which services take for "not set". */
export function nearestWithin(bound: Bound['bound'], limit: number): number | undefined {
  return (bound === 'most' ? Math.floor(limit) : Math.ceil(limit)) || undefined
}
