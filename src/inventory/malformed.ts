import { isExactNumber } from '../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Field, Members } from './field.ts'
import { isInstant } from './scalars.ts'
import { aliases, wireSchema } from './wire-schema.ts'

/** JSON Pointers of the contract's fields whose value in a normal form has another type; usually none. */
export function malformedFields(kind: Kind, attributes: JsonObject): readonly string[] {
  const found: string[] = []
  addMalformed(wireSchema[kind], attributes, '', found)
  // Both names of one field: `takeInventory` keeps the second one when their values differ.
  for (const { within, alias, name } of aliases[kind] ?? []) {
    const owner = within === undefined ? attributes : attributes[within]
    if (!isJsonObject(owner) || !Object.hasOwn(owner, alias) || !Object.hasOwn(owner, name)) continue
    found.push(within === undefined ? `/${name}` : `/${within}/${name}`)
  }
  return found
}

function addMalformed(members: Members, attributes: JsonObject, path: string, found: string[]): void {
  for (const [key, value] of Object.entries(attributes)) {
    const field = Object.hasOwn(members, key) ? members[key] : undefined
    if (field === undefined || value === null) continue
    const here = `${path}/${pointerStep(key)}`
    if (isMalformed(field, value)) found.push(here)
    else if (field.type === 'struct' && isJsonObject(value)) addMalformed(field.members, value, here, found)
    else if (field.type === 'keyed' && isJsonObject(value)) {
      for (const [uid, thing] of Object.entries(value)) {
        if (isJsonObject(thing)) addMalformed(field.members, thing, `${here}/${pointerStep(uid)}`, found)
      }
    }
  }
}

/** Whether a value in normal form breaks the contract; an absent or empty one never does. */
export function isMalformed(field: Field, value: Json): boolean {
  if (value === null) return false
  switch (field.type) {
    case 'flag':
      return typeof value !== 'boolean'
    case 'integer':
      // A volatile number may be a share (`failure_rate`).
      return typeof value !== 'number' || (field.presence !== 'volatile' && !Number.isSafeInteger(value))
    case 'seconds':
      return typeof value !== 'number'
    case 'time':
      return typeof value !== 'string' || !isInstant(value)
    case 'set':
    case 'addresses':
      return !Array.isArray(value) || value.some(isNotText)
    case 'struct':
      return !isJsonObject(value)
    case 'keyed':
      return !isJsonObject(value) || !Object.values(value).every(isJsonObject)
    case 'word':
      return isNotText(value) || isMisspelt(value, field.values)
    case 'free':
      return !isJsonObject(value) && field.isAnything !== true
    case 'secret':
      return isNotText(value) && field.isAnything !== true
    default:
      return isNotText(value)
  }
}

/** Whether a value that should be a text is none. */
export function isNotText(value: Json): boolean {
  return typeof value !== 'string' || isExactNumber(value)
}

/** `"INACTIVE "`: a known value except for case and blanks. A wholly unknown value is valid. */
function isMisspelt(value: Json, values: readonly string[] | undefined): boolean {
  if (values === undefined || typeof value !== 'string' || values.includes(value)) return false
  return values.includes(value.trim().toLowerCase())
}
