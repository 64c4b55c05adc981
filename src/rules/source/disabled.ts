import { count } from '../../text/count.ts'
import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingSubject } from '../engine/rule.ts'

/** No release of Convoy reads `is_disabled` but to show it. Sources of other types take no events in any case. */
const entrances = {
  http: { accepts: 'events sent to its URL are still accepted', severity: 'high' },
  // The broker decides who may write.
  pub_sub: { accepts: 'the events of its queue are still consumed', severity: 'medium' },
} as const

type Entrance = (typeof entrances)[keyof typeof entrances]

export const disabled = aggregateRule({
  id: 'source/disabled',
  title: 'Disabled source still accepts and delivers events',
  severity: 'high',
  packs: ['secrets'],
  kind: 'source',
  visits: ['source', 'subscription'],
  start: () => ({ off: [] as { at: FindingSubject; entrance: Entrance }[], users: new Map<string, number>() }),
  visit({ off, users }, { attributes }, at) {
    if ('source_uid' in attributes && typeof attributes.source_uid === 'string') {
      users.set(attributes.source_uid, (users.get(attributes.source_uid) ?? 0) + 1)
    } else if ('is_disabled' in attributes && attributes.is_disabled === true) {
      const { type } = attributes
      if (type === 'http' || type === 'pub_sub') off.push({ at, entrance: entrances[type] })
    }
  },
  *conclude({ off, users }, { isComplete }) {
    for (const { at, entrance } of off) {
      const subscriptions = users.get(at.uid) ?? 0
      const accepts = `disabled, but ${entrance.accepts}`
      // "No subscription" is a conclusion from something missing.
      const isUnused = subscriptions === 0 && isComplete('subscription')
      const message = isUnused
        ? `${accepts} (no subscription uses it)`
        : isComplete('subscription')
          ? `${accepts} and delivered (${count(subscriptions, 'subscription')})`
          : accepts
      yield { at, path: '/is_disabled', message, severity: isUnused ? 'low' : entrance.severity }
    }
  },
})
