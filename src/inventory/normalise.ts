import { isExactNumber } from '../model/exact-number.ts'
import {
  inKeyOrder,
  isEmpty,
  isJsonObject,
  type Json,
  type JsonObject,
  objectOf,
  pointerStep,
  setOwn,
} from '../model/json.ts'
import { maskedSeal } from '../model/resource.ts'
import { mayNameSecret } from '../secrets/known-secrets.ts'
import { normaliserFor, noteVolatile } from './made-normal-form.ts'
import { isMalformed, isNotText } from './malformed.ts'
import { normaliseLeaf } from './normalise-leaf.ts'
import { type Normalising, withUserOf } from './normalising.ts'
import { asSecretText } from './scalars.ts'
import {
  disarm,
  disarmText,
  normaliseExtra,
  normaliseUnknown,
  sealAsSent,
  sealExtraName,
  sealName,
  sealWithin,
} from './seal-json.ts'
import { sealCredentials, sealProse } from './seal-text.ts'
import type { Sealer } from './sealer.ts'
import { secretFactsOf } from './secret-facts.ts'
import type { Field, Keyed, Members, Struct } from './wire-schema.ts'

/**
 * The normal form of an object from the service: known members by their schema, unknown ones sealed unless they are
 * plain (with `isGuarded` always), all in canonical order.
 */
export function normaliseMembers(
  members: Members,
  raw: JsonObject,
  path: string,
  job: Normalising,
  isGuarded = false,
): JsonObject {
  const normalise = job.isStub ? undefined : normaliserFor(members, raw, isGuarded, normaliseField)
  return normalise === undefined ? normaliseOneByOne(members, raw, path, job, isGuarded) : normalise(raw, path, job)
}

/** The same for stubs, and for objects with odd members. */
function normaliseOneByOne(
  members: Members,
  raw: JsonObject,
  path: string,
  job: Normalising,
  isGuarded: boolean,
): JsonObject {
  const { sealer, isStub } = job
  const out: Record<string, Json> = {}
  for (const [key, field] of Object.entries(members)) {
    const shown = Object.hasOwn(raw, key) ? raw[key] : undefined
    if (field.presence === 'reference') continue
    if (shown === undefined) {
      if (field.presence === 'optional' && !isStub) out[key] = null
      continue
    }
    const value = normaliseField(field, shown, path, key, `/${pointerStep(key)}`, job)
    if (isStub && field.type !== 'flag' && (isEmpty(value) || value === 0)) continue
    if (field.presence === 'volatile') noteVolatile(key, value, path, job)
    else out[key] = value
  }
  for (const key of unknownKeys(members, raw)) {
    const name = sealExtraName(disarmText(key, sealer), isGuarded, sealer)
    const isSecret = name !== key && mayNameSecret(name)
    const value = normaliseExtra(raw[key] ?? null, key, isGuarded || isSecret, sealer)
    if (!(isStub && isEmpty(value))) setOwn(out, name, value)
  }
  return inKeyOrder(out)
}

function unknownKeys(members: Members, raw: JsonObject): readonly string[] {
  const unknown: string[] = []
  for (const key in raw) if (!Object.hasOwn(members, key)) unknown.push(key)
  return unknown
}

function normaliseField(field: Field, raw: Json, path: string, key: string, pointer: string, job: Normalising): Json {
  const value = normaliseShown(field, raw, path, key, pointer, job)
  if (isMalformed(field, value)) job.malformed.push(path + pointer)
  return value
}

function normaliseShown(field: Field, raw: Json, path: string, key: string, pointer: string, job: Normalising): Json {
  if (raw === null || raw === '')
    return field.type === 'set' || field.type === 'addresses' ? [] : field.type === 'keyed' ? {} : null
  if (field.type === 'struct') return normaliseStruct(field, raw, path + pointer, job)
  if (field.type === 'keyed') return normaliseKeyed(field, raw, path + pointer, job)
  const value = normaliseLeaf(field, disarm(raw, job.sealer), key, job.sealer)
  if (field.type === 'secret' && value !== maskedSeal) {
    job.facts[path + pointer] = secretFactsOf(asSecretText(raw), job.neighbours)
  }
  return value
}

function normaliseStruct(field: Struct, raw: Json, path: string, job: Normalising): Json {
  if (!isJsonObject(raw)) return sealScalar(raw, field, job.sealer)
  const normal = normaliseMembers(field.members, raw, path, withUserOf(raw, job), field.guarded)
  if (field.collapse === undefined) return normal
  const { members } = field
  let [isNone, hasEmpty] = [true, false]
  for (const key in normal) {
    const value = normal[key] ?? null
    if (isBlank(members, key, value)) hasEmpty = true
    else if (!isZero(members, key, value)) isNone = false
  }
  if (isNone) return null
  return hasEmpty ? objectOf(Object.entries(normal).filter(([key, value]) => !isBlank(members, key, value))) : normal
}

/** An empty list in place of a text says nothing of what is there, and is kept. */
function isBlank(members: Members, key: string, value: Json): boolean {
  return isEmpty(value) && !breaksContract(members, key, value)
}

function isZero(members: Members, key: string, value: Json): boolean {
  return (value === 0 || value === false) && !breaksContract(members, key, value)
}

function breaksContract(members: Members, key: string, value: Json): boolean {
  const field = Object.hasOwn(members, key) ? members[key] : undefined
  return field !== undefined && isMalformed(field, value)
}

/** A scalar in place of an object is still data. */
function sealScalar(raw: Json, { guarded }: Struct | Keyed, sealer: Sealer): Json {
  const shown = disarm(raw, sealer)
  return guarded === true ? sealWithin(shown, sealer) : normaliseUnknown(shown, '', sealer)
}

/** Lists of objects become objects keyed by what names each; one without a name is named by its index. */
function normaliseKeyed(field: Keyed, raw: Json, path: string, job: Normalising): Json {
  // An object in place of the list must not pass for its normal form.
  if (isJsonObject(raw)) return job.sealer.seal(asSecretText(disarm(raw, job.sealer)))
  if (!Array.isArray(raw) || !raw.every(isJsonObject)) return sealScalar(raw, field, job.sealer)
  const entries = raw.map((item, index): [string, Json] => {
    const uid =
      field.by === undefined ? uidOf(item, index, field, job.sealer) : nameBy(field.by, item, index, job.sealer)
    const here = `${path}/${pointerStep(uid)}`
    const name = field.by ?? 'uid'
    if (isNotText(item[name] ?? '')) job.malformed.push(`${here}/${name}`)
    return [uid, normaliseMembers(field.members, item, here, job, field.guarded)]
  })
  return entries.length > 1 ? inKeyOrder(objectOf(entries)) : objectOf(entries)
}

/** Shows a uid unless it may be the secret: it equals another member, is a credential or appears random. */
function uidOf(item: JsonObject, index: number, { guarded }: Keyed, sealer: Sealer): string {
  const { uid } = item
  if (typeof uid !== 'string' || uid === '' || isExactNumber(uid)) return `#${index}`
  for (const key in item) if (item[key] === uid && key !== 'uid') return sealAsSent(uid, sealer)
  const shown = disarmText(uid, sealer)
  return guarded === true ? sealName(shown, sealer) : sealCredentials(shown, sealer)
}

/** The name of a thing that a person chose, as it is shown wherever it is used. */
function nameBy(member: string, item: JsonObject, index: number, sealer: Sealer): string {
  const name = item[member]
  if (typeof name !== 'string' || name === '' || isExactNumber(name)) return `#${index}`
  return sealProse(disarmText(name, sealer), sealer)
}
