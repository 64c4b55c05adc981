import { isExactNumber, nearestDouble } from '../../model/exact-number.ts'
import {
  inKeyOrder,
  isEmpty,
  isJsonObject,
  type Json,
  type JsonObject,
  objectOf,
  pointerStep,
  setProperty,
  stepsOf,
} from '../../model/json.ts'
import type { Release } from '../../model/release-range.ts'
import { maskedSeal, type SecretFacts } from '../../model/resource.ts'
import { mayNameSecret } from '../../model/secrets/known-secrets.ts'
import type { Field, KeyedList, Members, Struct } from '../fields.ts'
import { isMalformed, isNullMalformed, isNumeric, keyOfMisnamed } from './malformed.ts'
import { normaliseSent } from './normalise-leaf.ts'
import { asSecretText } from './scalars.ts'
import {
  disarm,
  disarmText,
  normaliseExtra,
  normaliseUnknown,
  sealExtraName,
  sealName,
  sealWithin,
} from './seal-json.ts'
import { sealCredentials, sealWords } from './seal-text.ts'
import { type Sealer, sealAsSent } from './sealer.ts'
import { type Neighbours, secretFactsOf } from './secret-facts.ts'

/** The input for normalising one resource, and the outputs in addition to its attributes. */
export interface Normalisation {
  readonly sealer: Sealer
  /** A stub has few of its fields: an empty one means nothing. */
  readonly isStub: boolean
  readonly neighbours: Neighbours
  /** Filled while normalising, by JSON Pointer. */
  readonly facts: Record<string, SecretFacts>
  readonly volatile: Record<string, Json>
  /** Filled while normalising: JSON Pointers of fields whose value has another type than in the contract. */
  readonly malformed: string[]
  /** Filled while normalising: members that should be there and are not. */
  readonly unseen: UnseenMember[]
}

/** A member that an object does not show. `since`: the release that first has it; what is older lacks it. */
export interface UnseenMember {
  readonly pointer: string
  readonly since: Release | undefined
}

/**
 * The normal form of an object from the service: known members by their schema, unknown ones sealed unless they are
 * plain (with `isGuarded` always), all in canonical order.
 */
export function normaliseMembers(
  members: Members,
  raw: JsonObject,
  path: string,
  job: Normalisation,
  isGuarded = false,
): JsonObject {
  // What a stub has at all, it has as a whole.
  if (!job.isStub || path !== '') noteUnseen(members, raw, path, job)
  return normaliseEach(members, raw, path, job, isGuarded)
}

function noteUnseen(members: Members, raw: JsonObject, path: string, job: Normalisation): void {
  for (const [name, field] of absentIn(members, raw)) {
    const isElsewhere =
      (field.onlyFor !== undefined && raw.type !== field.onlyFor) || (field.use !== undefined && path !== '')
    if (!isElsewhere) job.unseen.push({ pointer: `${path}/${name}`, since: field.since })
  }
}

/** The members that an object with these names should show as well. */
function absentMembers(members: Members, names: readonly string[]): readonly (readonly [string, Field])[] {
  return Object.entries(members).filter(([name, { absent, use }]) => {
    const isAlwaysShown = absent !== 'empty' && absent !== 'apart' && use !== 'reference'
    return isAlwaysShown && !names.includes(name)
  })
}

function normaliseEach(
  members: Members,
  raw: JsonObject,
  path: string,
  job: Normalisation,
  isGuarded: boolean,
): JsonObject {
  const { sealer, isStub } = job
  const out: Record<string, Json> = {}
  for (const [key, field] of Object.entries(members)) {
    const rawValue = Object.hasOwn(raw, key) ? raw[key] : undefined
    if (field.use === 'reference') continue
    if (rawValue === undefined) {
      if (isEmptyIfAbsent(field) && !isStub) out[key] = null
      continue
    }
    const value = normaliseField(field, rawValue, path, key, `/${pointerStep(key)}`, job)
    if (isStub && isUnfilled(field, value)) continue
    if (field.use === 'volatile') noteVolatile(key, value, path, job)
    else out[key] = value
  }
  for (const key of unknownKeys(members, raw)) {
    const name = sealExtraName(disarmText(key, sealer), isGuarded, sealer)
    const isSecret = name !== key && mayNameSecret(name)
    const value = normaliseExtra(raw[key] ?? null, key, isGuarded || isSecret, sealer)
    if (!(isStub && isEmpty(value))) setProperty(out, name, value)
  }
  return inKeyOrder(out)
}

function isEmptyIfAbsent({ absent, use }: Field): boolean {
  return absent === 'empty' && use === undefined
}

/** Whether a member of a stub may be empty because a stub has few. */
function isUnfilled(field: Field, value: Json): boolean {
  if (field.type === 'flag' || (field.type === 'time' && field.isSwitch === true)) return false
  return value === null || ((isEmpty(value) || value === 0) && !isMalformed(field, value))
}

function unknownKeys(members: Members, raw: JsonObject): readonly string[] {
  const unknown: string[] = []
  for (const key in raw) if (!Object.hasOwn(members, key)) unknown.push(key)
  return unknown
}

/** Normalises a field with any value, and says where it breaks the contract. */
/** The normal form of one value that a request sends. `pointer`: of its place in the attributes. */
export function normaliseOne(
  field: Field,
  raw: Json,
  pointer: string,
  { sealer, neighbours, facts }: Pick<Normalisation, 'sealer' | 'neighbours' | 'facts'>,
): Json {
  const job = { sealer, neighbours, facts, isStub: false, volatile: {}, malformed: [], unseen: [] }
  const at = pointer.lastIndexOf('/')
  const [key = ''] = stepsOf(pointer.slice(at))
  return normaliseValue(field, raw, pointer.slice(0, at), key, pointer.slice(at), job)
}

function normaliseField(field: Field, raw: Json, path: string, key: string, pointer: string, job: Normalisation): Json {
  const value = normaliseValue(field, raw, path, key, pointer, job)
  const isMissing = job.isStub && value === null
  if (!isMissing && isMalformed(field, value)) job.malformed.push(path + pointer)
  return value
}

function normaliseValue(field: Field, raw: Json, path: string, key: string, pointer: string, job: Normalisation): Json {
  // Next to an empty text, which is none, null remains a wrong type.
  if (raw === null && !job.isStub && isNullMalformed(field) && !isNumeric(field)) return []
  if (raw === null || raw === '')
    return field.type === 'set' || field.type === 'addresses' ? [] : field.type === 'keyed' ? {} : null
  if (field.type === 'struct') return normaliseStruct(field, raw, path + pointer, job)
  if (field.type === 'keyed') return normaliseKeyed(field, raw, path + pointer, job)
  const value = normaliseSent(field, raw, key, job.sealer)
  if (field.type === 'secret' && value !== maskedSeal) {
    job.facts[path + pointer] = secretFactsOf(asSecretText(raw), job.neighbours)
  }
  return value
}

function normaliseStruct(field: Struct, raw: Json, path: string, job: Normalisation): Json {
  if (!isJsonObject(raw)) return sealScalar(raw, field, job.sealer)
  const { unseen } = job
  const unseenBefore = unseen.length
  const normal = normaliseMembers(field.members, raw, path, withUserOf(raw, job), field.guarded)
  if (field.collapse === undefined) return normal
  const { members } = field
  let [isNone, hasEmpty] = [true, false]
  for (const key in normal) {
    const value = normal[key] ?? null
    if (isBlank(members, key, value)) hasEmpty = true
    else if (!isZero(members, key, value)) isNone = false
  }
  if (isNone) {
    unseen.length = unseenBefore
    return null
  }
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
function sealScalar(raw: Json, { guarded }: Struct | KeyedList, sealer: Sealer): Json {
  const disarmed = disarm(raw, sealer)
  return guarded === true ? sealWithin(disarmed, sealer) : normaliseUnknown(disarmed, '', sealer)
}

/** Lists of objects become objects keyed by what names each. */
function normaliseKeyed(field: KeyedList, raw: Json, path: string, job: Normalisation): Json {
  // An object in place of the list must not pass for its normal form.
  if (isJsonObject(raw)) return job.sealer.seal(asSecretText(disarm(raw, job.sealer)))
  if (!Array.isArray(raw) || !raw.every(isJsonObject)) return sealScalar(raw, field, job.sealer)
  const entries = raw.map((item, index): [string, Json] => {
    const key = keyInList(field, item, index, job.sealer)
    const normal = normaliseMembers(field.members, item, `${path}/${pointerStep(key)}`, job, field.guarded)
    return [key, field.isOrdered ? inKeyOrder({ ...normal, position: index + 1 }) : normal]
  })
  return entries.length > 1 ? inKeyOrder(objectOf(entries)) : objectOf(entries)
}

/**
 * A name that a person chose, as it is shown wherever it is used, or a uid, unless that may be the secret: it equals another
 * member, is a credential or appears random. Where a name is not there or not a text, the index takes its place.
 */
function keyInList(field: KeyedList, item: JsonObject, index: number, sealer: Sealer): string {
  const name = item[field.by ?? 'uid'] ?? ''
  if (name === '') return `#${index}`
  if (typeof name !== 'string' || isExactNumber(name)) return keyOfMisnamed(index)
  if (field.by !== undefined) return sealWords(disarmText(name, sealer), sealer)
  for (const key in item) if (item[key] === name && key !== 'uid') return sealAsSent(name, sealer)
  const disarmed = disarmText(name, sealer)
  return field.guarded === true ? sealName(disarmed, sealer) : sealCredentials(disarmed, sealer)
}

/** With the user that an object names, under either name. */
function withUserOf({ username, user }: JsonObject, job: Normalisation): Normalisation {
  const named = typeof username === 'string' ? username : typeof user === 'string' ? user : ''
  return named === job.neighbours.user ? job : { ...job, neighbours: { ...job.neighbours, user: named } }
}

/** What objects with one set of members show. More different ones are rare, and hostile. */
const mostKept = 32
const mostNames = 128
/** Characters. */
const longestName = 64
const seenBefore = new WeakMap<Members, Seen[]>()

interface Seen {
  /** The members that an object shows. */
  readonly names: readonly string[]
  /** Those that it should show as well. */
  readonly absent: readonly (readonly [string, Field])[]
}

/** The members that an object should show as well: worked out once for all objects that show the same ones. */
function absentIn(members: Members, raw: JsonObject): Seen['absent'] {
  const interned = seenBefore.get(members) ?? []
  seenBefore.set(members, interned)
  const alike = interned.find((seen) => shows(raw, seen.names))
  if (alike !== undefined) return alike.absent
  const names = Object.keys(raw)
  const absent = absentMembers(members, names)
  if (names.length > mostNames || names.some(({ length }) => length > longestName)) return absent
  if (interned.length === mostKept) interned.length = 0
  interned.push({ names, absent })
  return absent
}

function shows(raw: JsonObject, names: readonly string[]): boolean {
  let at = 0
  for (const name in raw) {
    if (name !== names[at]) return false
    at++
  }
  return at === names.length
}

/** Rules calculate with it; it is never compared. */
function noteVolatile(name: string, value: Json, path: string, job: Normalisation): void {
  if (path === '') job.volatile[name] = nearestDouble(value)
}
