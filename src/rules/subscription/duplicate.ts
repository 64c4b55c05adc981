import { canonicalJson } from '../../model/canonical-json.ts'
import type { Filter } from '../attributes.ts'
import { eventTypesOf, filterOf, filterParts, isEmptyFilter, matchesEveryType } from '../event-filter.ts'
import { foldRule, type LocatedProblem, type Place } from '../rule.ts'

interface Route {
  readonly at: Place
  readonly types: readonly string[]
  /** undefined when it asks for nothing. */
  readonly filter: Filter | undefined
}

export const duplicate = foldRule({
  id: 'subscription/duplicate',
  title: 'Two subscriptions deliver the same events to the same endpoint',
  severity: 'high',
  packs: ['delivery'],
  kind: 'subscription',
  visits: ['subscription'],
  scope: 'project',
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
      const byFilter = Map.groupBy(parallel, ({ filter }) => (filter === undefined ? '' : spelled(filter)))
      for (const alike of byFilter.values()) yield* overlapsOf(alike)
    }
  },
})

/** Of two that overlap, the one with the higher uid: the later one, where uids are made in the order of time. */
function* overlapsOf(routes: readonly Route[]): Iterable<LocatedProblem> {
  const firstOf = new Map<string, string>()
  let firstOfAll: string | undefined
  for (const { at, types } of routes.toSorted((a, b) => (a.at.uid < b.at.uid ? -1 : 1))) {
    const shared = types.find((type) => firstOf.has(type))
    const every = matchesEveryType(types) ? firstOfAll : firstOf.get('*')
    const other = every ?? (shared === undefined ? undefined : firstOf.get(shared))
    if (other !== undefined) {
      const what = every === undefined ? `\`${shared}\` is` : 'events that both match are'
      const message = `${what} delivered to the same endpoint by subscription ${other} too`
      yield { at, path: '/filter_config/event_types', message }
    }
    firstOfAll ??= at.uid
    for (const type of matchesEveryType(types) ? ['*'] : types) {
      if (!firstOf.has(type)) firstOf.set(type, at.uid)
    }
  }
}

function spelled(filter: Filter): string {
  return canonicalJson(filterParts.map((part) => filter[part] ?? {}))
}
