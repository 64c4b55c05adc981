import { isJsonObject, type Json, type JsonObject, pointerStep } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Field, Keyed, Members, Struct } from './field.ts'
import { wireSchema } from './wire-schema.ts'

/**
 * JSON Pointers of the fields that hold something of another type than the contract gives them. What such a field says
 * is unknown. Works on a normal form, so also on what the history keeps.
 */
export function malformedFields(kind: Kind, attributes: JsonObject): readonly string[] {
  const found: string[] = []
  findAmong(wireSchema[kind], attributes, '', found)
  return found
}

function findAmong(members: Members, object: JsonObject, path: string, found: string[]): void {
  for (const key in object) {
    const field = Object.hasOwn(members, key) ? members[key] : undefined
    const value = object[key]
    if (field === undefined || value === undefined || value === null) continue
    if (field.type === 'struct' || field.type === 'keyed') findWithin(field, value, `${path}/${key}`, found)
    else if (isPlain[field.type]?.(value) === false) found.push(`${path}/${key}`)
  }
}

function findWithin(field: Struct | Keyed, value: Json, path: string, found: string[]): void {
  if (!isJsonObject(value)) found.push(path)
  else if (field.type === 'struct') findAmong(field.members, value, path, found)
  else {
    for (const key in value) {
      const thing = value[key]
      if (isJsonObject(thing)) findAmong(field.members, thing, `${path}/${pointerStep(key)}`, found)
    }
  }
}

/** What a value of a type looks like in the normal form. */
const isPlain: Readonly<Partial<Record<Field['type'], (value: Json) => boolean>>> = {
  flag: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  seconds: (value) => typeof value === 'number',
  time: (value) => typeof value === 'string' && value.length < 40 && instant.test(value),
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
