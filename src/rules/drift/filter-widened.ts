import { driftRule } from '../engine/drift-rule.ts'
import { eventTypesOf, filterOf, filterParts, isEmptyFilter, matchesEveryType } from '../shared/event-filter.ts'
import { relaxedConditions } from '../shared/relaxed-conditions.ts'

export const filterWidened = driftRule({
  id: 'drift/filter-widened',
  title: 'Subscription lets more events through than it did',
  severity: 'medium',
  packs: ['hygiene'],
  kinds: ['subscription'],
  *check({ before, after }) {
    const [oldTypes, types] = [eventTypesOf(before?.filter_config), eventTypesOf(after?.filter_config)]
    if (oldTypes !== undefined && types !== undefined && !matchesEveryType(oldTypes)) {
      const added = types.filter((type) => !oldTypes.includes(type))
      if (matchesEveryType(types)) {
        yield { path: '/filter_config/event_types', message: 'lets every event type through, where it named some' }
      } else if (added.length > 0) {
        yield { path: '/filter_config/event_types', message: `lets more event types through: ${listed(added)}` }
      }
    }
    const [oldFilter, filter] = [filterOf(before?.filter_config), filterOf(after?.filter_config)]
    if (oldFilter === undefined || filter === undefined || isEmptyFilter(oldFilter)) return
    if (isEmptyFilter(filter)) {
      yield { path: '/filter_config/filter', message: 'no longer filters anything' }
      return
    }
    for (const part of filterParts) {
      const [old, now] = [oldFilter[part], filter[part]]
      if (old === undefined || now === undefined) continue
      const path = `/filter_config/filter/${part}`
      const [first, ...more] = relaxedConditions(old ?? {}, now ?? {}, path)
      if (first === undefined) continue
      const others = more.length === 0 ? '' : `, and ${more.length} more`
      yield { path, message: `asks for less: ${first}${others}` }
    }
  },
})

function listed(names: readonly string[]): string {
  const left = names.length - 5
  return left > 0 ? `${names.slice(0, 5).join(', ')} and ${left} more` : names.join(', ')
}
