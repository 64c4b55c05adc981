import { isJsonObject, type Json, type JsonObject, pointerStep } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Field, Members } from './field.ts'
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
  for (const { key, field, isPlain } of checksOf(members)) {
    const value = object[key]
    if (value === undefined || value === null) continue
    if (isPlain === undefined) findWithin(field, value, `${path}/${key}`, found)
    else if (!isPlain(value)) found.push(`${path}/${key}`)
  }
}

interface Check {
  readonly key: string
  readonly field: Field
  /** undefined for what has members of its own. */
  readonly isPlain: ((value: Json) => boolean) | undefined
}

const checks = new WeakMap<Members, readonly Check[]>()

/** The members that can be malformed, listed once: every resource of a run is asked. */
function checksOf(members: Members): readonly Check[] {
  const known = checks.get(members)
  if (known !== undefined) return known
  const listed = Object.entries(members).flatMap(([key, field]): Check[] => {
    const isPlain = plainForms[field.type]
    const isAsked = isPlain !== undefined || field.type === 'struct' || field.type === 'keyed'
    return isAsked && field.presence !== 'reference' && field.presence !== 'volatile' ? [{ key, field, isPlain }] : []
  })
  checks.set(members, listed)
  return listed
}

function findWithin(field: Field, value: Json, path: string, found: string[]): void {
  if (!isJsonObject(value)) found.push(path)
  else if (field.type === 'struct') findAmong(field.members, value, path, found)
  else if (field.type === 'keyed') {
    for (const key in value) {
      const thing = value[key]
      if (isJsonObject(thing)) findAmong(field.members, thing, `${path}/${pointerStep(key)}`, found)
    }
  }
}

/** What a value of a type looks like in the normal form. */
const plainForms: Readonly<Partial<Record<Field['type'], (value: Json) => boolean>>> = {
  flag: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  seconds: (value) => typeof value === 'number',
  time: (value) => typeof value === 'string' && value.length < 40 && instant.test(value),
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
