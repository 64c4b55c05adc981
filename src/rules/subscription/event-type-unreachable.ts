import { eventTypeOf } from '../../gateway/events.ts'
import { projectRule } from '../engine/define-rule.ts'
import { appliedFilters, filterRows } from '../shared/delivered-events.ts'
import { listed } from '../shared/listed.ts'
import { sealsIn } from '../shared/secret-strength.ts'

export const eventTypeUnreachable = projectRule({
  id: 'subscription/event-type-unreachable',
  title: 'Source never carries the event types of the subscription',
  severity: 'high',
  packs: ['delivery'],
  readsRows: true,
  kind: 'subscription',
  reads: ['project', 'source', 'subscription'],
  *check({ all, isComplete }) {
    // A source that was seen within a subscription alone does not show where it finds types.
    if (!isComplete('source') || all('project')[0]?.attributes.type !== 'incoming') return
    const sources = new Map(all('source').map((source) => [source.uid, source]))
    for (const at of all('subscription')) {
      const source = sources.get(at.attributes.source_uid ?? '')
      // Unless it names a place in the request, an http source gives every event its mask id for a type.
      const type = source && eventTypeOf(source.attributes)
      const types = [...(appliedFilters(filterRows(at.attributes))?.keys() ?? [])]
      if (types.length === 0 || !type || types.includes(type) || types.includes('*')) continue
      // A name that appears random is sealed, and such is a mask id: it may be this one.
      if (types.some((one) => sealsIn(one).length > 0)) continue
      const named = listed(types.map((one) => `\`${one}\``))
      const message = `no event of its source arrives: all have the type \`${type}\`, the filter rows name ${named}`
      yield { at, path: '/filters', message }
    }
  },
})
