import { filterParts, isOperator } from '../../gateway/filters.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'
import type { EventFilter, FilterConfig, FilterRow, Subscription } from '../engine/attributes.ts'

/** What a subscription is delivered. */
export interface DeliveredEvents {
  /** `applied`: by its filter rows, which decide where they were read; `declared`: by its `filter_config`. */
  readonly basis: 'applied' | 'declared'
  /** `*`: every type without a filter of its own. None: it is delivered nothing. undefined: not shown. */
  readonly types: readonly string[] | undefined
  /** One for each row that is on, or the declared one for all declared types; none where it is not shown. */
  readonly filters: readonly DeliveredFilter[]
}

export interface DeliveredFilter {
  /** undefined: not shown. */
  readonly types: readonly string[] | undefined
  readonly filter: EventFilter
  /** JSON Pointer into the attributes. */
  readonly path: string
}

/** By event type: rows that are on. The row of a type applies to it; `*` applies to types without one that is on. */
export type AppliedFilters = ReadonlyMap<string, EventFilter>

/** What is applied, where a scan has read that; otherwise what is declared. */
export function deliveredEvents(subscription: Subscription): DeliveredEvents {
  const applied = appliedFilters(filterRows(subscription))
  if (applied === undefined) return declaredEvents(subscription.filter_config)
  const filters = [...applied].map(([type, filter]) => ({ types: [type], filter, path: rowPath(type) }))
  return { basis: 'applied', types: [...applied.keys()], filters }
}

/** What the subscription itself says. No event type at all means every one. */
export function declaredEvents(config: FilterConfig | null | undefined): DeliveredEvents {
  const named = eventTypesOf(config)
  const filter = filterOf(config)
  const types = named?.length === 0 ? everyType : named
  const filters = filter === undefined ? [] : [{ types, filter, path: '/filter_config/filter' }]
  return { basis: 'declared', types, filters }
}

/** All rows, those that are switched off too; undefined where no scan has read them. */
export function filterRows({ filters }: Subscription): Readonly<Record<string, FilterRow>> | undefined {
  return isJsonObject(filters) ? filters : undefined
}

export function appliedFilters(rows: ReturnType<typeof filterRows>): AppliedFilters | undefined {
  return rows && new Map(Object.entries(rows).filter(([, row]) => !isSwitchedOff(row)))
}

export function isSwitchedOff({ enabled_at: enabledAt }: FilterRow): boolean {
  return enabledAt === null
}

/** The filter that decides about an event type; undefined where events of it are not delivered. */
export function filterFor(applied: AppliedFilters, type: string): EventFilter | undefined {
  return applied.get(type) ?? applied.get('*')
}

/** Whether events of types that are invented tomorrow are delivered too, without any condition. */
export function deliversEverything({ filters }: DeliveredEvents): boolean {
  return filters.some(({ types, filter }) => types?.includes('*') === true && isEmptyFilter(filter))
}

export function rowPath(type: string): string {
  return `/filters/${pointerStep(type)}`
}

export interface SubscribedTypes {
  /** Where they are named. */
  readonly path: '/filter_config/event_types' | '/filters'
  readonly types: readonly SubscribedType[]
}

/** Event types of a subscription, without `*`: those that it declares, and those that only its rows name. */
export function subscribedTypes(subscription: Subscription): readonly SubscribedTypes[] {
  const declared = new Set(eventTypesOf(subscription.filter_config))
  const applied = new Set(Object.keys(filterRows(subscription) ?? {}))
  const named = (types: Iterable<string>) => [...types].filter((type) => type !== '*')
  return [
    {
      path: '/filter_config/event_types',
      types: named(declared).map((type) => ({ type, how: applied.has(type) ? 'declared and applied' : 'declared' })),
    },
    {
      path: '/filters',
      types: named(applied).flatMap((type) => (declared.has(type) ? [] : [{ type, how: 'applied' as const }])),
    },
  ]
}

/** undefined when not shown; shown and empty is none. */
export function eventTypesOf(config: FilterConfig | null | undefined): readonly string[] | undefined {
  const types = config === null ? null : config?.event_types
  return types === null ? [] : types
}

/** undefined when not shown; shown and empty asks for nothing. */
export function filterOf(config: FilterConfig | null | undefined): EventFilter | undefined {
  const filter = config === null ? null : config?.filter
  return filter === null ? {} : filter
}

export function isEmptyFilter(filter: EventFilter): boolean {
  return filterParts.every((part) => Object.keys(filter[part] ?? {}).length === 0)
}

/** Whether two filters ask the same. A part that the first does not show is not compared; none is the same as an empty one. */
export function asksTheSame(filter: EventFilter, other: EventFilter): boolean {
  return filterParts.every((part) => asksTheSameOf(part, filter, other))
}

export function asksTheSameOf(part: (typeof filterParts)[number], filter: EventFilter, other: EventFilter): boolean {
  const [one, two] = [filter[part], other[part] ?? {}]
  return one === undefined || canonicalConditions(one ?? {}) === canonicalConditions(two)
}

const everyType = ['*']

interface SubscribedType {
  readonly type: string
  readonly how: 'declared' | 'applied' | 'declared and applied'
}

/** Conditions are a few levels deep; what is deeper is compared as it is written. */
const deepest = 16

/** In one form: `a.b` is the same as `b` within `a`. */
function canonicalConditions(conditions: Json): string {
  if (!isJsonObject(conditions)) return canonicalJson(conditions)
  const fields = [...flatFields(conditions, '', deepest)].map(([name, condition]) => canonicalJson([name, condition]))
  return fields.sort().join()
}

function* flatFields(conditions: JsonObject, prefix: string, depth: number): Generator<[name: string, asked: Json]> {
  for (const [key, condition] of Object.entries(conditions)) {
    const isNested = depth > 0 && !isOperator(key) && isJsonObject(condition) && hasFieldsOnly(condition)
    if (isNested) yield* flatFields(condition, `${prefix}${key}.`, depth - 1)
    else yield [`${prefix}${key}`, condition]
  }
}

function hasFieldsOnly(conditions: JsonObject): boolean {
  const keys = Object.keys(conditions)
  return keys.length > 0 && !keys.some(isOperator)
}
