import { count } from '../../model/text/count.ts'
import { isNone } from '../engine/attributes.ts'
import { projectRule } from '../engine/define-rule.ts'
import { subscribedTypes } from '../shared/delivered-events.ts'
import { listed } from '../shared/listed.ts'

export const eventTypeDeprecated = projectRule({
  id: 'subscription/event-type-deprecated',
  title: 'Event type is deprecated',
  severity: 'low',
  packs: ['hygiene'],
  kind: 'subscription',
  reads: ['event_type', 'subscription'],
  *check({ all, cannotSay }) {
    const catalogue = all('event_type')
    // Every project's catalogue holds `*`: an empty one says nothing.
    if (catalogue.length === 0) return cannotSay()
    const deprecated = new Map(
      catalogue.flatMap(({ attributes: { name, deprecated_at: since } }) =>
        typeof name === 'string' && typeof since === 'string' && !isNone(since) ? [[name, since] as const] : [],
      ),
    )
    if (deprecated.size === 0) return
    for (const at of all('subscription')) {
      for (const { path, types } of subscribedTypes(at.attributes)) {
        const old = types.filter(({ type }) => deprecated.has(type))
        if (old.length === 0) continue
        const names = old.map(({ type, how }) => `\`${type}\` (${how}, since ${deprecated.get(type)})`)
        yield { at, path, message: `${count(old.length, 'deprecated event type')}: ${listed(names)}` }
      }
    }
  },
})
