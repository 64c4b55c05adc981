import { count } from '../../text/count.ts'
import { projectRule } from '../engine/define-rule.ts'
import { subscribedTypes } from '../shared/delivered-events.ts'
import { listed } from '../shared/listed.ts'

export const eventTypeUnknown = projectRule({
  id: 'subscription/event-type-unknown',
  title: "Event type is not in the project's catalogue",
  severity: 'medium',
  packs: ['delivery', 'hygiene'],
  kind: 'subscription',
  reads: ['event_type', 'subscription'],
  *check({ all, isComplete, cannotSay }) {
    const catalogue = new Set(all('event_type').map(({ attributes }) => attributes.name))
    // Every project's catalogue holds `*`: an empty one says nothing.
    if (catalogue.size === 0) return cannotSay()
    if (!isComplete('event_type')) return
    for (const at of all('subscription')) {
      for (const { path, types } of subscribedTypes(at.attributes)) {
        const unknown = types.filter(({ type }) => !catalogue.has(type))
        if (unknown.length === 0) continue
        const names = listed(unknown.map(({ type, how }) => `\`${type}\` (${how})`))
        yield { at, path, message: `${count(unknown.length, 'event type')} not in the catalogue: ${names}` }
      }
    }
  },
})
