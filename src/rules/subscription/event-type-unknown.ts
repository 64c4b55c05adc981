import { count } from '../../text/count.ts'
import type { CatalogueEntry, Subscription } from '../engine/attributes.ts'
import { aggregateRule } from '../engine/define-rule.ts'
import type { LocatedRuleFinding } from '../engine/rule.ts'
import { subscribedTypes } from '../shared/delivered-events.ts'
import { listed } from '../shared/listed.ts'

export const eventTypeUnknown = aggregateRule({
  id: 'subscription/event-type-unknown',
  title: "Event type is not in the project's catalogue",
  severity: 'medium',
  packs: ['delivery', 'hygiene'],
  kind: 'subscription',
  visits: ['event_type', 'subscription'],
  start: () => ({ catalogue: new Set<string>(), lost: [] as LocatedRuleFinding[] }),
  visit({ catalogue, lost }, resource, at) {
    if (resource.kind === 'event_type') {
      const { name } = resource.attributes as CatalogueEntry
      if (typeof name === 'string') catalogue.add(name)
      return
    }
    // Read in any case: of a subscription that cannot be evaluated, a trial without a catalogue must show it.
    const named = subscribedTypes(resource.attributes as Subscription)
    if (catalogue.size === 0) return
    for (const { path, types } of named) {
      const unknown = types.filter(({ type }) => !catalogue.has(type))
      if (unknown.length === 0) continue
      const names = listed(unknown.map(({ type, how }) => `\`${type}\` (${how})`))
      const message = `${count(unknown.length, 'event type')} not in the catalogue: ${names}`
      lost.push({ at, path, message })
    }
  },
  *conclude({ lost }, { isComplete }) {
    if (isComplete('event_type')) yield* lost
  },
  // Every project's catalogue holds `*`: an empty one says nothing.
  isUndecided: ({ catalogue }) => catalogue.size === 0,
})
