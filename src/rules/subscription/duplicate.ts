import { filterParts } from '../../gateway/filters.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { EventFilter, Subscription } from '../engine/attributes.ts'
import { projectRule } from '../engine/define-rule.ts'
import type { ProjectRuleFinding } from '../engine/rule.ts'
import { declaredEvents, deliveredEvents, rowPath } from '../shared/delivered-events.ts'

/** Event types that a subscription is delivered under one filter. */
interface Route {
  readonly at: ProjectRuleFinding['at']
  readonly types: readonly string[]
  /** Types to which `*` of these does not apply: they have other filters. */
  readonly except: ReadonlySet<string>
  /** In a form that is the same for the same conditions. */
  readonly filter: string
  /** Types that its `filter_config` names; undefined where rows were never read, and nothing else is known. */
  readonly declared: readonly string[] | undefined
}

export const duplicate = projectRule({
  id: 'subscription/duplicate',
  title: 'Two subscriptions deliver the same events to the same endpoint',
  severity: 'high',
  packs: ['delivery'],
  acceptedWith: ['/endpoint_uid', '/filter_config', '/filters', '/source_uid'],
  kind: 'subscription',
  reads: ['subscription'],
  *check({ all }) {
    /** By endpoint and source. */
    const ways = new Map<string, Route[]>()
    for (const at of all('subscription')) {
      const { endpoint_uid: endpoint, source_uid: source } = at.attributes
      if (typeof endpoint !== 'string') continue
      const way = `${endpoint} ${source ?? ''}`
      const parallel = ways.get(way) ?? []
      ways.set(way, parallel)
      parallel.push(...routesOf(at.attributes, { kind: at.kind, uid: at.uid, name: at.name }))
    }
    for (const parallel of ways.values()) {
      if (parallel.length < 2) continue
      const reported = new Set<string>()
      for (const alike of Map.groupBy(parallel, ({ filter }) => filter).values()) {
        for (const finding of overlapsOf(alike)) {
          const key = `${finding.at.uid} ${finding.path}`
          if (!reported.has(key)) yield finding
          reported.add(key)
        }
      }
    }
  },
})

/** One for all types with the same filter; none where it is not known what events come. */
function routesOf(subscription: Subscription, at: ProjectRuleFinding['at']): readonly Route[] {
  const { basis, types: all = [], filters } = deliveredEvents(subscription)
  if (all.length === 0) return []
  const declared = basis === 'applied' ? (declaredEvents(subscription.filter_config).types ?? []) : undefined
  const [first] = filters
  // Nearly all have one filter, for all that they are delivered.
  if (first !== undefined && filters.length === 1 && first.types === all) {
    return [{ at, types: [...all], except: none, filter: formatted(first.filter), declared }]
  }
  const byFilter = Map.groupBy(filters, ({ filter }) => formatted(filter))
  return [...byFilter].map(([filter, alike]) => {
    const types = alike.flatMap((one) => one.types ?? [])
    const typeSet = new Set(types)
    return { at, types, except: new Set(all.filter((type) => !typeSet.has(type))), filter, declared }
  })
}

const none: ReadonlySet<string> = new Set()

/** Each that overlaps with another names the one with the lowest uid: the first, where uids are made in the order of time. */
function* overlapsOf(routes: readonly Route[]): Iterable<ProjectRuleFinding> {
  const sorted = routes.toSorted((a, b) => (a.at.uid < b.at.uid ? -1 : 1))
  const wildcards = sorted.filter(isWildcard)
  const takers = takersOf(sorted)
  for (const route of sorted) {
    const { at, types } = route
    const every = isWildcard(route)
      ? sorted.find((other) => other !== route && overlaps(route, other))
      : wildcards.find((other) => overlaps(other, route))
    const otherOf = (type: string) => takers.get(type)?.find((uid) => uid !== at.uid)
    const shared = every === undefined ? types.find((type) => otherOf(type) !== undefined) : undefined
    if (every === undefined && shared === undefined) continue
    const what = shared === undefined ? 'some of the same events' : `\`${shared}\``
    const other = shared === undefined ? every?.at.uid : otherOf(shared)
    const message = `subscription ${other} also delivers ${what} to the same endpoint`
    const common = isWildcard(route) ? '*' : (shared ?? types.find((type) => every?.except.has(type) === false))
    yield { at, path: pathOf(route, common ?? '*'), message }
  }
}

function isWildcard({ types }: Route): boolean {
  return types.includes('*')
}

function overlaps(wildcard: Route, other: Route): boolean {
  return isWildcard(other) || other.types.some((type) => !wildcard.except.has(type))
}

/** The row of a type, where the subscription itself does not name it. */
function pathOf({ declared }: Route, type: string): string {
  return declared === undefined || declared.includes(type) ? '/filter_config/event_types' : rowPath(type)
}

/** By event type, the first two that take it: one of them is always another. */
function takersOf(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const takers = new Map<string, string[]>()
  for (const { at, types } of routes) {
    for (const type of types.includes('*') ? ['*'] : types) {
      const uids = takers.get(type) ?? []
      if (uids.length < 2 && !uids.includes(at.uid)) takers.set(type, [...uids, at.uid])
    }
  }
  return takers
}

function formatted(filter: EventFilter): string {
  return canonicalJson(filterParts.map((part) => filter[part] ?? {}))
}
