import type { EventFilter, FilterConfig } from '../engine/attributes.ts'

/** `*`, and no event type at all, both mean every event. */
export function matchesEveryType(eventTypes: readonly string[]): boolean {
  return eventTypes.length === 0 || eventTypes.includes('*')
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

export const filterParts = ['body', 'headers', 'query', 'path'] as const

export function isEmptyFilter(filter: EventFilter): boolean {
  return filterParts.every((part) => Object.keys(filter[part] ?? {}).length === 0)
}
