/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether two values are equal, with members in any order. */
export function isEqual(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a)
    if (keys.length !== Object.keys(b).length) return false
    return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null))
  }
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item, index) => isEqual(item, b[index]))
}

/** A member by its name, which may be that of a member that every object inherits. */
export function memberOf<Value>(object: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined
}

/** Sets a property of any name: assignment would drop `__proto__` and change the prototype. */
export function setProperty(target: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    target[key] = value
  }
}

/** One step of a JSON Pointer (RFC 6901): `a/b~c` → `a~1b~0c`. */
export function pointerStep(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key
}

/** The steps of a JSON Pointer; none for the empty one. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The value at a JSON Pointer through objects; undefined where there is none. */
export function valueAt(object: JsonObject, pointer: string): Json | undefined {
  let here: Json | undefined = object
  for (const step of stepsOf(pointer)) {
    if (!isJsonObject(here)) return undefined
    here = Object.hasOwn(here, step) ? here[step] : undefined
  }
  return here
}

/** Whether a JSON Pointer is another one, or leads further. */
export function isWithinPointer(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`)
}

/** Whether one of two JSON Pointers is the other, or leads through it. */
export function pointersOverlap(a: string, b: string): boolean {
  return isWithinPointer(a, b) || isWithinPointer(b, a)
}

/** A copy with another value at a JSON Pointer through objects; with none when it is undefined. */
export function withValueAt(object: JsonObject, pointer: string, value: Json | undefined): JsonObject {
  return withValueWithin(object, stepsOf(pointer), value)
}

/** Empty in any form: null, '', [], {}. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === null || value === undefined || value === '') return true
  if (typeof value !== 'object') return false
  for (const _ in value) return false
  return true
}

export function objectOf(entries: readonly (readonly [string, Json])[]): Record<string, Json> {
  const out: Record<string, Json> = {}
  for (const [key, value] of entries) setProperty(out, key, value)
  return out
}

/** The same keys with other values. */
export function mapMembers(object: JsonObject, change: (key: string, value: Json) => Json): JsonObject {
  return objectOf(Object.entries(object).map(([key, value]) => [key, change(key, value)]))
}

export function inKeyOrder(object: JsonObject): JsonObject {
  return objectOf(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function withValueWithin(
  object: JsonObject,
  [step = '', ...rest]: readonly string[],
  value: Json | undefined,
): JsonObject {
  const inner = Object.hasOwn(object, step) ? object[step] : undefined
  const changed = rest.length === 0 ? value : withValueWithin(isJsonObject(inner) ? inner : {}, rest, value)
  if (changed === undefined) return Object.fromEntries(Object.entries(object).filter(([name]) => name !== step))
  const copy: Record<string, Json> = { ...object }
  setProperty(copy, step, changed)
  return copy
}
