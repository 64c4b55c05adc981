import { canonicalJson } from '../../model/canonical-json.ts'
import type { EventFilter } from '../engine/attributes.ts'
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
  // By endpoint and source. Most pairs occur once: a list is made, and filters are compared, for more only.
  start: () => new Map<string, Route | Route[]>(),
  visit(routes, { attributes: { endpoint_uid: endpoint, source_uid: source, filter_config: config } }, at) {
    const types = eventTypesOf(config)
    const filter = filterOf(config)
    if (types === undefined || filter === undefined || typeof endpoint !== 'string') return
    const key = `${endpoint} ${source ?? ''}`
    const route: Route = { at, types, filter: isEmptyFilter(filter) ? undefined : filter }
    const known = routes.get(key)
    if (known === undefined) routes.set(key, route)
    else if (Array.isArray(known)) known.push(route)
    else routes.set(key, [known, route])
  },
  *conclude(routes) {
    for (const parallel of routes.values()) {
      if (!Array.isArray(parallel)) continue
      const byFilter = Map.groupBy(parallel, ({ filter }) => (filter === undefined ? '' : formatted(filter)))
      for (const alike of byFilter.values()) yield* overlapsOf(alike)
    }
  },
})

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
