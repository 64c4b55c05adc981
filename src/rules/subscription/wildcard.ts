import { resourceRule } from '../engine/define-rule.ts'
import { eventTypesOf, filterOf, isEmptyFilter, matchesEveryType } from '../shared/event-filter.ts'

export const wildcard = resourceRule('subscription', {
  id: 'subscription/wildcard',
  title: 'Subscription delivers every event',
  severity: 'info',
  packs: ['hygiene'],
  check({ attributes: { filter_config: config } }) {
    const types = eventTypesOf(config)
    const filter = filterOf(config)
    if (types === undefined || filter === undefined) return
    if (matchesEveryType(types) && isEmptyFilter(filter)) {
      return { path: '/filter_config', message: 'every event type and no filter: new kinds of events will be sent too' }
    }
    return undefined
  },
})
