import { canonicalJson } from '../model/canonical-json.ts'
import { nearestDouble } from '../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep, setOwn } from '../model/json.ts'
import { maskedSeal, type SecretFacts } from '../model/resource.ts'
import type { Field, Keyed, Members, Struct } from './field.ts'
import { asSecretText, normaliseFree } from './free-form.ts'
import { inKeyOrder, isEmpty, objectOf } from './objects.ts'
import { asNumber, asScalar, asSeconds, asText, asTime } from './scalars.ts'
import { sealCode } from './seal-code.ts'
import { hostOf, sealBehindHost, sealCredentials, sealProse, sealUrl } from './seal-url.ts'
import type { Sealer } from './sealer.ts'
import { type Neighbours, secretFactsOf } from './secret-facts.ts'

/** What normalising one resource needs and leaves behind. */
export interface Normalising {
  readonly sealer: Sealer
  /** A stub fills few of its fields: an empty one says nothing. */
  readonly isStub: boolean
  readonly neighbours: Neighbours
  /** Filled while normalising, by JSON Pointer. */
  readonly facts: Record<string, SecretFacts>
  readonly volatile: Record<string, Json>
}

/** `null`: shown and empty. `undefined`: not shown. */
type Normal = Json | undefined

/**
 * The normal form of an object as the service sent it: known members by their schema, unknown ones kept with what
 * looks secret in them sealed, members in canonical order.
 */
export function normaliseMembers(members: Members, raw: JsonObject, path: string, job: Normalising): JsonObject {
  const out: Record<string, Json> = {}
  for (const [key, field] of entriesOf(members)) {
    if (field.presence === 'reference') continue
    const value = normaliseField(field, raw[key], path, key, job)
    if (value === undefined) continue
    if (field.presence === 'volatile') {
      // Rules calculate with it, and nobody compares it.
      if (path === '') job.volatile[key] = nearestDouble(value)
    } else out[key] = value
  }
  return withUnknownMembers(out, members, raw, job)
}

const entries = new WeakMap<Members, readonly (readonly [string, Field])[]>()

/** The schema's entries, listed once: this is the innermost loop of a run. */
function entriesOf(members: Members): readonly (readonly [string, Field])[] {
  const known = entries.get(members) ?? Object.entries(members)
  entries.set(members, known)
  return known
}

function withUnknownMembers(
  known: Record<string, Json>,
  members: Members,
  raw: JsonObject,
  job: Normalising,
): JsonObject {
  const unknown = unknownKeys(members, raw)
  if (unknown.length === 0) return known
  for (const key of unknown) {
    const value = normaliseFree(raw[key] ?? null, key, job.sealer)
    if (!(job.isStub && isEmpty(value))) setOwn(known, sealCredentials(key, job.sealer), value)
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
  return job.isStub && field.type !== 'flag' && (isEmpty(value) || value === 0) ? undefined : value
}

function normaliseShown(field: Field, shown: Json, path: string, key: string, job: Normalising): Json {
  const raw = oneText.has(field.type) ? flat(shown, key, job.sealer) : shown
  if (raw === null || raw === '')
    return field.type === 'set' || field.type === 'addresses' ? [] : field.type === 'keyed' ? {} : null
  switch (field.type) {
    case 'text':
    case 'certificate':
      return sealCredentials(asText(raw), job.sealer)
    case 'prose':
      return sealProse(asText(raw), job.sealer)
    case 'code':
      return sealCode(asText(raw), job.sealer)
    case 'url':
      return sealUrl(asText(raw), job.sealer)
    case 'secret-url':
      return sealBehindHost(asText(raw), job.sealer)
    case 'secret':
      return normaliseSecret(raw, `${path}/${pointerStep(key)}`, job)
    case 'integer':
      return asNumber(raw)
    case 'seconds':
      return asSeconds(raw)
    case 'flag':
      return raw === 'true' ? true : raw === 'false' ? false : asScalar(raw)
    case 'time':
      return asTime(asText(raw))
    case 'set':
      return listOf(raw).map((item) => sealCredentials(item, job.sealer))
    case 'addresses':
      return listOf(raw).map((address) => sealUrl(address, job.sealer))
    case 'free':
      return normaliseFree(raw, key, job.sealer)
    case 'struct':
      return normaliseStruct(field, raw, `${path}/${pointerStep(key)}`, job)
    case 'keyed':
      return normaliseKeyed(field, raw, `${path}/${pointerStep(key)}`, job)
  }
}

const oneText: ReadonlySet<Field['type']> = new Set([
  'text',
  'prose',
  'certificate',
  'code',
  'url',
  'secret-url',
  'integer',
  'seconds',
  'flag',
  'time',
])

/** Of a value that is no text where one was expected, nobody knows what it holds. */
function flat(raw: Json, key: string, sealer: Sealer): Json {
  return typeof raw === 'object' && raw !== null ? canonicalJson(normaliseFree(raw, key, sealer)) : raw
}

/** A set in order; a single text is a set of one. */
function listOf(raw: Json): string[] {
  return Array.isArray(raw) ? raw.map(asText).sort() : [asText(raw)]
}

function normaliseStruct(field: Struct, raw: Json, path: string, job: Normalising): Json {
  // Something else where an object was expected is data all the same: kept under a name of its own.
  const object = isJsonObject(raw) ? raw : { value: holdsSecret(field) ? job.sealer.seal(asSecretText(raw)) : raw }
  const normal = normaliseMembers(field.members, object, path, beside(userIn(object), job))
  if (field.collapse === undefined) return normal
  const members = Object.values(normal)
  if (members.every((value) => value === 0 || value === false || isEmpty(value))) return null
  if (!members.some(isEmpty)) return normal
  return objectOf(Object.entries(normal).filter(([, value]) => !isEmpty(value)))
}

/** A text in the place of an object with a secret in it may be the secret. */
function holdsSecret(field: Field): boolean {
  if (field.type === 'struct' || field.type === 'keyed') return Object.values(field.members).some(holdsSecret)
  return field.type === 'secret'
}

/** The user named among the members, under the names that the service has for it. */
function userIn({ username, user }: JsonObject): string {
  return typeof username === 'string' ? username : typeof user === 'string' ? user : ''
}

function beside(user: string, job: Normalising): Normalising {
  return user === job.neighbours.user ? job : { ...job, neighbours: { ...job.neighbours, user } }
}

/** Lists of things with a uid become objects keyed by it; a thing without one is named by its place. */
function normaliseKeyed(field: Keyed, raw: Json, path: string, job: Normalising): Json {
  const items = Array.isArray(raw) ? raw : [raw]
  const entries = items.map((item, index): [string, Json] => {
    const object: JsonObject = isJsonObject(item) ? item : { value: item }
    const uid = typeof object.uid === 'string' && object.uid !== '' ? object.uid : `#${index}`
    return [uid, normaliseMembers(field.members, object, `${path}/${pointerStep(uid)}`, job)]
  })
  return entries.length > 1 ? inKeyOrder(objectOf(entries)) : objectOf(entries)
}

function normaliseSecret(raw: Json, path: string, { sealer, neighbours, facts }: Normalising): Json {
  const text = asSecretText(raw)
  const sealed = sealer.seal(text)
  if (sealed !== maskedSeal) facts[path] = secretFactsOf(text, neighbours)
  return sealed
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
