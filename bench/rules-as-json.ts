import type { ConditionProperties, RuleProperties } from 'json-rules-engine'

/** Ten of our rules as json-rules-engine has them: the same questions, said in its own words. */
export const rulesAsJson: readonly {
  readonly id: string
  readonly kind: 'endpoint' | 'subscription'
  readonly rule: RuleProperties
}[] = [
  ofEndpoints('endpoint/inactive', { ...at('status'), operator: 'in', value: ['inactive', 'pending'] }),
  ofEndpoints('endpoint/timeout-high', { ...at('http_timeout'), operator: 'greaterThan', value: 60 }),
  ofEndpoints(
    'endpoint/timeout-low',
    { ...at('http_timeout'), operator: 'greaterThan', value: 0 },
    { ...at('http_timeout'), operator: 'lessThan', value: 5 },
  ),
  ofEndpoints('endpoint/rate-limit-absent', is('rate_limit', 0)),
  ofEndpoints(
    'endpoint/rate-limit-ineffective',
    { ...at('rate_limit'), operator: 'greaterThan', value: 0 },
    is('rate_limit_duration', 0),
  ),
  ofEndpoints('endpoint/signature-simple', is('advanced_signatures', false)),
  ofEndpoints('endpoint/status-unknown', {
    ...at('status'),
    operator: 'notIn',
    value: ['active', 'inactive', 'paused', 'pending'],
  }),
  ofEndpoints('endpoint/url-not-https', { ...at('url'), operator: 'startsWith', value: 'http://' }),
  ofEndpoints('endpoint/owner-missing', is('owner_id', null)),
  ofSubscriptions('subscription/at-most-once', is('delivery_mode', 'at_most_once')),
]

function ofEndpoints(id: string, ...all: ConditionProperties[]) {
  return { id, kind: 'endpoint', rule: { conditions: { all }, event: { type: id } } } as const
}

function ofSubscriptions(id: string, ...all: ConditionProperties[]) {
  return { id, kind: 'subscription', rule: { conditions: { all }, event: { type: id } } } as const
}

function at(path: string) {
  return { fact: 'attributes', path: `$.${path}` }
}

function is(path: string, value: unknown): ConditionProperties {
  return { ...at(path), operator: 'equal', value }
}
