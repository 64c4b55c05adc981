import { type Json, type JsonObject, setOwn } from '../model/json.ts'

/** Empty in any form: null, '', [], {}. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === null || value === undefined || value === '') return true
  if (typeof value !== 'object') return false
  for (const _ in value) return false
  return true
}

export function objectOf(entries: readonly (readonly [string, Json])[]): Record<string, Json> {
  const out: Record<string, Json> = {}
  for (const [key, value] of entries) setOwn(out, key, value)
  return out
}

/** The same keys with other values. */
export function mapMembers(object: JsonObject, change: (key: string, value: Json) => Json): JsonObject {
  return objectOf(Object.entries(object).map(([key, value]) => [key, change(key, value)]))
}

export function inKeyOrder(object: JsonObject): JsonObject {
  return objectOf(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
