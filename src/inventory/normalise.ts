import { isExactNumber, nearestDouble } from '../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep, setOwn } from '../model/json.ts'
import { maskedSeal, type SecretFacts } from '../model/resource.ts'
import { disarm, disarmText, sealAsSent } from './disarm.ts'
import type { Field, Keyed, Members, Struct } from './field.ts'
import { sealName } from './free-form.ts'
import { isMalformed } from './malformed.ts'
import { normaliseLeaf } from './normalise-leaf.ts'
import { inKeyOrder, isEmpty, objectOf } from './objects.ts'
import { sealCredentials } from './seal-text.ts'
import type { Sealer } from './sealer.ts'
import { type Neighbours, secretFactsOf } from './secret-facts.ts'
import { asSecretText } from './secret-text.ts'
import { hostOf } from './split-url.ts'
import { normaliseUnknown, sealMemberName, sealWithin } from './unknown-field.ts'

/** The input for normalising one resource, and the outputs in addition to its attributes. */
export interface Normalising {
  readonly sealer: Sealer
  /** A stub has few of its fields: an empty one means nothing. */
  readonly isStub: boolean
  readonly neighbours: Neighbours
  /** Filled while normalising, by JSON Pointer. */
  readonly facts: Record<string, SecretFacts>
  readonly volatile: Record<string, Json>
  /** Filled while normalising: JSON Pointers of fields whose value has another type than in the contract. */
  readonly malformed: string[]
}

/** `null`: shown and empty. `undefined`: not shown. */
type Normal = Json | undefined

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
  const out: Record<string, Json> = {}
  let known = 0
  for (const [key, field] of entriesOf(members)) {
    const shown = raw[key]
    if (shown !== undefined) known++
    if (field.presence === 'reference') continue
    const value = normaliseField(field, shown, path, key, job)
    if (value === undefined) continue
    if (field.presence === 'volatile') {
      // Rules calculate with it; it is never compared.
      if (path === '') job.volatile[key] = nearestDouble(value)
    } else out[key] = value
  }
  return known === countMembers(raw) ? out : withUnknownMembers(out, members, raw, isGuarded, job)
}

function countMembers(object: JsonObject): number {
  let count = 0
  for (const _ in object) count++
  return count
}

const entries = new WeakMap<Members, readonly (readonly [string, Field])[]>()

/** The schema's entries, listed once: this is the innermost loop of a run. */
function entriesOf(members: Members): readonly (readonly [string, Field])[] {
  const known = entries.get(members)
  if (known !== undefined) return known
  const listed = Object.entries(members)
  entries.set(members, listed)
  return listed
}

function withUnknownMembers(
  known: Record<string, Json>,
  members: Members,
  raw: JsonObject,
  isGuarded: boolean,
  { sealer, isStub }: Normalising,
): JsonObject {
  for (const key of unknownKeys(members, raw)) {
    const shown = disarm(raw[key] ?? null, sealer)
    const name = disarmText(key, sealer)
    const value = isGuarded ? sealWithin(shown, sealer) : normaliseUnknown(shown, key, sealer)
    if (!(isStub && isEmpty(value)))
      setOwn(known, isGuarded ? sealMemberName(name, sealer) : sealName(name, sealer), value)
  }
  return inKeyOrder(known)
}

function unknownKeys(members: Members, raw: JsonObject): readonly string[] {
  const unknown: string[] = []
  for (const key in raw) if (!Object.hasOwn(members, key)) unknown.push(key)
  return unknown
}

function normaliseField(field: Field, raw: Json | undefined, path: string, key: string, job: Normalising): Normal {
  if (raw === undefined) {
    return field.presence === 'optional' && !job.isStub ? null : undefined
  }
  const value = normaliseShown(field, raw, path, key, job)
  if (isMalformed(field, value)) job.malformed.push(`${path}/${pointerStep(key)}`)
  return job.isStub && field.type !== 'flag' && (isEmpty(value) || value === 0) ? undefined : value
}

function normaliseShown(field: Field, raw: Json, path: string, key: string, job: Normalising): Json {
  if (raw === null || raw === '')
    return field.type === 'set' || field.type === 'addresses' ? [] : field.type === 'keyed' ? {} : null
  if (field.type === 'struct') return normaliseStruct(field, raw, `${path}/${pointerStep(key)}`, job)
  if (field.type === 'keyed') return normaliseKeyed(field, raw, `${path}/${pointerStep(key)}`, job)
  const value = normaliseLeaf(field, disarm(raw, job.sealer), key, job.sealer)
  if (field.type === 'secret' && value !== maskedSeal) {
    job.facts[`${path}/${pointerStep(key)}`] = secretFactsOf(asSecretText(raw), job.neighbours)
  }
  return value
}

function normaliseStruct(field: Struct, raw: Json, path: string, job: Normalising): Json {
  if (!isJsonObject(raw)) return sealScalar(raw, field, job.sealer)
  const normal = normaliseMembers(field.members, raw, path, withUser(userIn(raw), job), field.guarded)
  if (field.collapse === undefined) return normal
  const members = Object.values(normal)
  if (members.every((value) => value === 0 || value === false || isEmpty(value))) return null
  if (!members.some(isEmpty)) return normal
  return objectOf(Object.entries(normal).filter(([, value]) => !isEmpty(value)))
}

/** A scalar in place of an object is still data. */
function sealScalar(raw: Json, { guarded }: Struct | Keyed, sealer: Sealer): Json {
  const shown = disarm(raw, sealer)
  return guarded === true ? sealWithin(shown, sealer) : normaliseUnknown(shown, '', sealer)
}

/** The user among the members, under either name. */
function userIn({ username, user }: JsonObject): string {
  return typeof username === 'string' ? username : typeof user === 'string' ? user : ''
}

function withUser(user: string, job: Normalising): Normalising {
  return user === job.neighbours.user ? job : { ...job, neighbours: { ...job.neighbours, user } }
}

/** Lists of objects with a uid become objects keyed by it; one without a uid is named by its index. */
function normaliseKeyed(field: Keyed, raw: Json, path: string, job: Normalising): Json {
  if (!Array.isArray(raw) || !raw.every(isJsonObject)) return sealScalar(raw, field, job.sealer)
  const entries = raw.map((item, index): [string, Json] => {
    const uid = uidOf(item, index, field, job.sealer)
    return [uid, normaliseMembers(field.members, item, `${path}/${pointerStep(uid)}`, job, field.guarded)]
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

/** The names that a weak secret may repeat. */
export function neighboursOf(raw: JsonObject): Neighbours {
  const name = raw.name ?? raw.title
  const address = raw.url ?? raw.target_url
  return {
    name: typeof name === 'string' ? name : '',
    uid: typeof raw.uid === 'string' ? raw.uid : '',
    host: typeof address === 'string' ? hostOf(address) : '',
    user: '',
  }
}
