import { canonicalJson } from '../../model/canonical-json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'
import type { EventFilter, FilterConfig } from '../engine/attributes.ts'

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

/** Whether two filters ask the same. A part that `shown` does not show is not compared; none is the same as an empty one. */
export function asksTheSame(shown: EventFilter, other: EventFilter): boolean {
  return filterParts.every((part) => asksTheSameOf(part, shown, other))
}

export function asksTheSameOf(part: (typeof filterParts)[number], shown: EventFilter, other: EventFilter): boolean {
  const [one, two] = [shown[part], other[part] ?? {}]
  return one === undefined || canonicalConditions(one ?? {}) === canonicalConditions(two)
}

/** Conditions are a few levels deep; what is deeper is compared as it is written. */
const deepest = 16

/** In one form: `a.b` is the same as `b` within `a`. */
function canonicalConditions(conditions: Json): string {
  if (!isJsonObject(conditions)) return canonicalJson(conditions)
  const fields = [...flatFields(conditions, '', deepest)].map(([name, asked]) => canonicalJson([name, asked]))
  return fields.sort().join()
}

function* flatFields(conditions: JsonObject, prefix: string, depth: number): Generator<[name: string, asked: Json]> {
  for (const [key, asked] of Object.entries(conditions)) {
    const isNested = depth > 0 && !isOperator(key) && isJsonObject(asked) && hasFieldsOnly(asked)
    if (isNested) yield* flatFields(asked, `${prefix}${key}.`, depth - 1)
    else yield [`${prefix}${key}`, asked]
  }
}

function hasFieldsOnly(conditions: JsonObject): boolean {
  const keys = Object.keys(conditions)
  return keys.length > 0 && !keys.some(isOperator)
}

/** `$.` steps into a list. */
export function isOperator(key: string): boolean {
  return key.startsWith('$') && !key.startsWith('$.')
}
