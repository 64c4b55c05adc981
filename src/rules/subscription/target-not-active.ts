import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingSubject } from '../engine/rule.ts'

export const targetNotActive = aggregateRule({
  id: 'subscription/target-not-active',
  title: 'Subscription endpoint is not active: its events are discarded',
  severity: 'high',
  packs: ['delivery'],
  kind: 'subscription',
  visits: ['endpoint', 'subscription'],
  start: () => ({ asleep: new Map<string, string>(), waiting: [] as { at: FindingSubject; status: string }[] }),
  visit({ asleep, waiting }, { kind, uid, attributes }, at) {
    if (kind === 'endpoint' && 'status' in attributes) {
      if (typeof attributes.status === 'string' && attributes.status !== 'active') asleep.set(uid, attributes.status)
    } else if ('endpoint_uid' in attributes) {
      const status = asleep.get(attributes.endpoint_uid ?? '')
      if (status !== undefined) waiting.push({ at, status })
    }
  },
  *conclude({ waiting }) {
    for (const { at, status } of waiting) {
      yield {
        at,
        path: '/endpoint_uid',
        message: `the endpoint is ${status}: matching events are discarded, not queued`,
      }
    }
  },
})
