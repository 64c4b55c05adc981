import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Field, Members } from './field.ts'
import { normaliseFree } from './free-form.ts'
import { mapMembers } from './objects.ts'
import { sealCode } from './seal-code.ts'
import { sealCredentials, sealProse } from './seal-url.ts'
import type { Sealer } from './sealer.ts'
import { wireSchema } from './wire-schema.ts'

/**
 * Brings attributes that an earlier hookdrift wrote to today's normal form: what is sealed by its look today is sealed.
 * Attributes of today stay as they are, for nothing is sealed twice.
 */
export function reseal(kind: Kind, attributes: JsonObject, sealer: Sealer): JsonObject {
  return resealMembers(wireSchema[kind], attributes, sealer)
}

function resealMembers(members: Members, attributes: JsonObject, sealer: Sealer): JsonObject {
  return mapMembers(attributes, (key, value) => {
    const field = Object.hasOwn(members, key) ? members[key] : undefined
    return field === undefined ? normaliseFree(value, key, sealer) : resealField(field, value, key, sealer)
  })
}

function resealField(field: Field, value: Json, key: string, sealer: Sealer): Json {
  switch (field.type) {
    case 'text':
    case 'certificate':
    case 'set':
      return mapTexts(value, (text) => sealCredentials(text, sealer))
    case 'prose':
      return mapTexts(value, (text) => sealProse(text, sealer))
    case 'code':
      return mapTexts(value, (text) => sealCode(text, sealer))
    case 'free':
      return normaliseFree(value, key, sealer)
    case 'struct':
      return isJsonObject(value) ? resealMembers(field.members, value, sealer) : value
    case 'keyed':
      return isJsonObject(value)
        ? mapMembers(value, (_, thing) => (isJsonObject(thing) ? resealMembers(field.members, thing, sealer) : thing))
        : value
    default:
      return value
  }
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  return Array.isArray(value) ? value.map((item) => mapTexts(item, change)) : value
}
