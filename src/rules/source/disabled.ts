import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingSubject } from '../engine/rule.ts'

export const disabled = aggregateRule({
  id: 'source/disabled',
  title: 'Source is disabled: its events are refused',
  severity: 'medium',
  packs: ['delivery'],
  fix: { path: '/is_disabled', value: false },
  kind: 'source',
  visits: ['source', 'subscription'],
  start: () => ({ off: [] as FindingSubject[], users: new Map<string, number>() }),
  visit({ off, users }, { attributes }, at) {
    if ('source_uid' in attributes && typeof attributes.source_uid === 'string') {
      users.set(attributes.source_uid, (users.get(attributes.source_uid) ?? 0) + 1)
    } else if ('is_disabled' in attributes && attributes.is_disabled === true) off.push(at)
  },
  *conclude({ off, users }, { isComplete }) {
    for (const at of off) {
      const subscriptions = users.get(at.uid) ?? 0
      // "No subscription" is a conclusion from something missing.
      const isUnused = subscriptions === 0 && isComplete('subscription')
      const who = isUnused
        ? 'no subscription uses it'
        : subscriptions === 1
          ? '1 subscription receives nothing from it'
          : `${subscriptions} subscriptions receive nothing from it`
      const affected = isComplete('subscription') ? ` (${who})` : ''
      yield {
        at,
        path: '/is_disabled',
        message: `disabled: its events are refused${affected}`,
        severity: isUnused ? 'low' : 'medium',
      }
    }
  },
})
