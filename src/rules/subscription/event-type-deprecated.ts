import { count } from '../../text/count.ts'
import { type CatalogueEntry, isNone, type Subscription } from '../engine/attributes.ts'
import { aggregateRule } from '../engine/define-rule.ts'
import type { LocatedRuleFinding } from '../engine/rule.ts'
import { subscribedTypes } from '../shared/delivered-events.ts'
import { listed } from '../shared/listed.ts'

export const eventTypeDeprecated = aggregateRule({
  id: 'subscription/event-type-deprecated',
  title: 'Event type is deprecated',
  severity: 'low',
  packs: ['hygiene'],
  kind: 'subscription',
  visits: ['event_type', 'subscription'],
  start: () => ({ deprecated: new Map<string, string>(), findings: [] as LocatedRuleFinding[] }),
  visit({ deprecated, findings }, resource, at) {
    if (resource.kind === 'event_type') {
      const { name, deprecated_at: since } = resource.attributes as CatalogueEntry
      if (typeof name === 'string' && typeof since === 'string' && !isNone(since)) deprecated.set(name, since)
      return
    }
    // Read in any case: of a subscription that cannot be evaluated, a trial without a catalogue must show it.
    const named = subscribedTypes(resource.attributes as Subscription)
    if (deprecated.size === 0) return
    for (const { path, types } of named) {
      const old = types.filter(({ type }) => deprecated.has(type))
      if (old.length === 0) continue
      const names = old.map(({ type, how }) => `\`${type}\` (${how}, since ${deprecated.get(type)})`)
      const message = `${count(old.length, 'deprecated event type')}: ${listed(names)}`
      findings.push({ at, path, message })
    }
  },
  conclude: ({ findings }) => findings,
})
