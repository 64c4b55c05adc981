import { canonicalJson } from '../../model/canonical-json.ts'
import { PlacesByKey } from '../../model/places-by-key.ts'
import type { EventFilter, Subscription } from '../engine/attributes.ts'
import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingPlace, LocatedRuleFinding } from '../engine/rule.ts'
import { eventTypesOf, filterOf, filterParts, isEmptyFilter, matchesEveryType } from '../shared/event-filter.ts'

interface Route {
  readonly at: FindingPlace
  readonly types: readonly string[]
  /** undefined when it asks for nothing. */
  readonly filter: EventFilter | undefined
}

export const duplicate = aggregateRule({
  id: 'subscription/duplicate',
  title: 'Two subscriptions deliver the same events to the same endpoint',
  severity: 'high',
  packs: ['delivery'],
  kind: 'subscription',
  visits: ['subscription'],
  // By endpoint and source. Most pairs occur once: filters are compared of the others only.
  start: () => ({ ways: new PlacesByKey(), routes: new Map<number, Route>() }),
  visit({ ways }, { attributes }, _, place) {
    const { endpoint_uid: endpoint, source_uid: source } = attributes
    if (eventsOf(attributes) !== undefined && typeof endpoint === 'string')
      ways.add(`${endpoint} ${source ?? ''}`, place)
  },
  asks: ({ ways }) => ways.repeated().flat(),
  recall({ routes }, { attributes }, at, place) {
    const events = eventsOf(attributes)
    if (events !== undefined) routes.set(place, { at, ...events })
  },
  *conclude({ ways, routes }) {
    for (const places of ways.repeated()) {
      const parallel = places.flatMap((place) => routes.get(place) ?? [])
      const byFilter = Map.groupBy(parallel, ({ filter }) => (filter === undefined ? '' : formatted(filter)))
      for (const alike of byFilter.values()) yield* overlapsOf(alike)
    }
  },
})

/** undefined where it is not shown. */
function eventsOf({ filter_config: config }: Subscription): Omit<Route, 'at'> | undefined {
  const types = eventTypesOf(config)
  const filter = filterOf(config)
  if (types === undefined || filter === undefined) return undefined
  return { types, filter: isEmptyFilter(filter) ? undefined : filter }
}

/** Each that overlaps with another names the one with the lowest uid: the first, where uids are made in the order of time. */
function* overlapsOf(routes: readonly Route[]): Iterable<LocatedRuleFinding> {
  const sorted = routes.toSorted((a, b) => (a.at.uid < b.at.uid ? -1 : 1))
  const takers = takersOf(sorted)
  const all = sorted.slice(0, 2).map(({ at }) => at.uid)
  for (const { at, types } of sorted) {
    const otherOf = (uids: readonly string[] = []) => uids.find((uid) => uid !== at.uid)
    const every = otherOf(matchesEveryType(types) ? all : takers.get('*'))
    const shared = every === undefined ? types.find((type) => otherOf(takers.get(type)) !== undefined) : undefined
    if (every === undefined && shared === undefined) continue
    const what = shared === undefined ? 'events that both match are' : `\`${shared}\` is`
    const other = shared === undefined ? every : otherOf(takers.get(shared))
    const message = `${what} delivered to the same endpoint by subscription ${other} too`
    yield { at, path: '/filter_config/event_types', message }
  }
}

/** By event type, the first two that take it: one of them is always another. */
function takersOf(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const takers = new Map<string, string[]>()
  for (const { at, types } of routes) {
    for (const type of matchesEveryType(types) ? ['*'] : types) {
      const uids = takers.get(type) ?? []
      if (uids.length < 2 && !uids.includes(at.uid)) takers.set(type, [...uids, at.uid])
    }
  }
  return takers
}

function formatted(filter: EventFilter): string {
  return canonicalJson(filterParts.map((part) => filter[part] ?? {}))
}
