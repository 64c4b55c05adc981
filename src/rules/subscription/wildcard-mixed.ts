import { resourceRule } from '../engine/define-rule.ts'
import { eventTypesOf } from '../shared/event-filter.ts'

export const wildcardMixed = resourceRule('subscription', {
  id: 'subscription/wildcard-mixed',
  title: 'Event types are named together with a wildcard',
  severity: 'low',
  packs: ['hygiene'],
  check({ attributes }) {
    const types = eventTypesOf(attributes.filter_config) ?? []
    const names = types.filter((type) => type !== '*').length
    if (names === 0 || names === types.length) return
    const what = names === 1 ? 'one event type' : `${names} event types`
    return {
      path: '/filter_config/event_types',
      message: `names ${what} together with \`*\`: every event is delivered anyway`,
    }
  },
})
