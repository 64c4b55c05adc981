import { resourceRule } from '../engine/define-rule.ts'
import { declaredEvents, deliveredEvents, deliversEverything, rowPath } from '../shared/delivered-events.ts'

export const wildcard = resourceRule('subscription', {
  id: 'subscription/wildcard',
  title: 'Subscription receives every event',
  severity: 'info',
  packs: ['hygiene'],
  check({ attributes }) {
    if (!deliversEverything(deliveredEvents(attributes))) return
    // What is declared too stays one finding when rows are read for the first time.
    if (deliversEverything(declaredEvents(attributes.filter_config))) {
      return { path: '/filter_config', message: 'every event type and no filter: future event types are delivered too' }
    }
    const message = 'every event type is applied without a filter: future event types are delivered too'
    return { path: rowPath('*'), message }
  },
})
