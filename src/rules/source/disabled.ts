import { count } from '../../model/text/count.ts'
import { projectRule } from '../engine/define-rule.ts'

/** No release of Convoy reads `is_disabled` but to show it. Sources of other types take no events in any case. */
const entrances = {
  http: { accepts: 'events sent to its URL are still accepted', severity: 'high' },
  // The broker decides who may write.
  pub_sub: { accepts: 'the events of its queue are still consumed', severity: 'medium' },
} as const

export const disabled = projectRule({
  id: 'source/disabled',
  title: 'Disabled source still accepts and delivers events',
  severity: 'high',
  packs: ['secrets'],
  kind: 'source',
  reads: ['source', 'subscription'],
  *check({ all, isComplete }) {
    const off = all('source').filter(({ attributes }) => attributes.is_disabled === true)
    if (off.length === 0) return
    const users = Map.groupBy(all('subscription'), ({ attributes }) => attributes.source_uid)
    for (const at of off) {
      const { type } = at.attributes
      if (type !== 'http' && type !== 'pub_sub') continue
      const entrance = entrances[type]
      const subscriptions = users.get(at.uid)?.length ?? 0
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
