import { inKeyOrder, isJsonObject, type Json, type JsonObject, objectOf } from '../../model/json.ts'
import type { Kind } from '../../model/resource.ts'
import { type Field, type KeyedList, type Members, wireSchema } from '../fields.ts'
import { normaliseLeaf } from './normalise-leaf.ts'
import { mapTexts, normaliseUnknown, sealMemberName, sealName, sealWithin } from './seal-json.ts'
import { sealCredentials, sealWords } from './seal-text.ts'
import { type Sealer, sealAsSent, sealKnown } from './sealer.ts'

/**
 * Brings attributes of an earlier version to today's normal form: everything that is sealed today is sealed. Attributes
 * of today stay the same, because nothing is sealed twice.
 */
export function reseal(kind: Kind, attributes: JsonObject, sealer: Sealer): JsonObject {
  // A damaged row may name a kind that does not exist: then no member is known.
  const members = Object.hasOwn(wireSchema, kind) ? wireSchema[kind] : {}
  const open = mapTexts(attributes, (text) => sealKnown(text, sealer))
  return resealMembers(members, isJsonObject(open) ? open : {}, sealer, false)
}

function resealMembers(members: Members, attributes: JsonObject, sealer: Sealer, isGuarded: boolean): JsonObject {
  const resealed = Object.entries(attributes).flatMap(([key, value]): [string, Json][] => {
    const field = Object.hasOwn(members, key) ? members[key] : undefined
    // An earlier version stored it.
    if (field?.use === 'volatile') return []
    if (field !== undefined) return [[key, resealField(field, value, key, sealer)]]
    if (isGuarded) return [[sealMemberName(key, sealer), sealWithin(value, sealer)]]
    return [[sealName(key, sealer), normaliseUnknown(value, key, sealer)]]
  })
  return inKeyOrder(objectOf(resealed))
}

function resealField(field: Field, value: Json, key: string, sealer: Sealer): Json {
  if (value === null || value === '') return value
  const isGuarded = field.type === 'struct' || field.type === 'keyed' ? field.guarded === true : false
  if (field.type === 'struct') {
    if (isJsonObject(value)) return resealMembers(field.members, value, sealer, isGuarded)
    return isGuarded ? sealWithin(value, sealer) : normaliseUnknown(value, '', sealer)
  }
  if (field.type === 'keyed') return resealThings(field, value, sealer)
  return normaliseLeaf(field, value, key, sealer)
}

function resealThings({ members, by, guarded }: KeyedList, value: Json, sealer: Sealer): Json {
  const isGuarded = guarded === true
  // One side of a change is null where an object with a uid came or went.
  const isKeyed = isJsonObject(value) && Object.values(value).every((thing) => thing === null || isJsonObject(thing))
  if (!isKeyed)
    return isGuarded || isJsonObject(value) ? sealWithin(value, sealer) : normaliseUnknown(value, '', sealer)
  const things = Object.entries(value).map(([uid, thing]): [string, Json] => [
    by === undefined ? resealUid(uid, thing, sealer, isGuarded) : sealWords(uid, sealer),
    isJsonObject(thing) ? resealMembers(members, thing, sealer, isGuarded) : thing,
  ])
  return inKeyOrder(objectOf(things))
}

/** An earlier version kept a uid that equals the secret next to it. */
function resealUid(uid: string, thing: Json, sealer: Sealer, isGuarded: boolean): string {
  const values = isJsonObject(thing) ? Object.values(thing) : []
  const isSecret = values.some((value) => typeof value === 'string' && sealer.isSealOf?.(value, uid) === true)
  return isSecret ? sealAsSent(uid, sealer) : isGuarded ? sealName(uid, sealer) : sealCredentials(uid, sealer)
}
