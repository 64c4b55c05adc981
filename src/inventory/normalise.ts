import { canonicalJson } from '../model/canonical-json.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep, setOwn } from '../model/json.ts'
import { maskedSeal, type SecretFacts } from '../model/resource.ts'
import type { Field, Keyed, Members, Struct } from './field.ts'
import { isSecretName, looksRandom } from './looks-secret.ts'
import { sealCode } from './seal-code.ts'
import { hostOf, sealBehindHost, sealCredentials, sealUrl } from './seal-url.ts'
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
      if (path === '') job.volatile[key] = value
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
    const value = normaliseFree(raw[key] ?? null, key, job)
    if (!(job.isStub && isEmpty(value))) setOwn(known, key, value)
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

function normaliseShown(field: Field, raw: Json, path: string, key: string, job: Normalising): Json {
  if (raw === null || raw === '') return field.type === 'set' ? [] : field.type === 'keyed' ? {} : null
  switch (field.type) {
    case 'text':
      return asText(raw)
    case 'prose':
      return sealCredentials(asText(raw), job.sealer)
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
      return Array.isArray(raw) ? raw.map(asText).sort() : [asText(raw)]
    case 'free':
      return normaliseFree(raw, key, job)
    case 'struct':
      return normaliseStruct(field, raw, `${path}/${pointerStep(key)}`, job)
    case 'keyed':
      return normaliseKeyed(field, raw, `${path}/${pointerStep(key)}`, job)
  }
}

function normaliseStruct(field: Struct, raw: Json, path: string, job: Normalising): Json {
  // Something else where an object was expected is data all the same: kept under a name of its own.
  const object = isJsonObject(raw) ? raw : { value: raw }
  const normal = normaliseMembers(field.members, object, path, job)
  if (field.collapse === undefined) return normal
  const members = Object.values(normal)
  if (members.every((value) => value === 0 || value === false || isEmpty(value))) return null
  if (!members.some(isEmpty)) return normal
  return objectOf(Object.entries(normal).filter(([, value]) => !isEmpty(value)))
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

/** One service account is a base64 text in one release and its bytes in another; both give the same seal. */
function asSecretText(raw: Json): string {
  if (Array.isArray(raw) && raw.every((byte) => Number.isInteger(byte))) {
    return Buffer.from(raw.map(Number)).toString('base64')
  }
  return asText(raw)
}

/** JSON of unknown make: kept as it is, in canonical order, with what looks secret sealed. */
function normaliseFree(raw: Json, name: string, job: Normalising): Json {
  if (raw === null || raw === '' || typeof raw === 'boolean') return raw
  if (isSecretName(name) && isOneSecret(raw)) return job.sealer.seal(asSecretText(raw))
  if (typeof raw === 'string') {
    if (looksRandom(raw) && !isIdentifierName(name)) return job.sealer.seal(raw)
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(raw) ? sealUrl(raw, job.sealer) : sealCredentials(raw, job.sealer)
  }
  if (Array.isArray(raw)) return raw.map((item) => normaliseFree(item, name, job))
  if (!isJsonObject(raw)) return raw
  return inKeyOrder(objectOf(Object.entries(raw).map(([key, value]) => [key, normaliseFree(value, key, job)])))
}

/** A text or number, or the bytes of one; times and flags are none. */
function isOneSecret(raw: Json): boolean {
  if (typeof raw === 'string') return !/^(true|false|\d{4}-\d\d-\d\dT.*)$/.test(raw)
  return typeof raw === 'number' || (Array.isArray(raw) && raw.length > 0 && raw.every(Number.isInteger))
}

/** Identifiers look random and are no secret. */
function isIdentifierName(name: string): boolean {
  return /(^|_)u?ids?$/i.test(name)
}

function asText(raw: Json): string {
  return typeof raw === 'string' ? raw : canonicalJson(raw)
}

function asScalar(raw: Json): Json {
  return typeof raw === 'object' ? asText(raw) : raw
}

/** An integer given as a decimal text is that integer. */
function asNumber(raw: Json): Json {
  return typeof raw === 'string' && /^-?\d{1,15}$/.test(raw) ? Number(raw) : asScalar(raw)
}

const secondsPerUnit: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 0.001,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
}

/** `"1m30s"` (a Go duration) is 90. */
function asSeconds(raw: Json): Json {
  if (typeof raw !== 'string' || !/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(raw)) return asNumber(raw)
  let seconds = 0
  for (const [, amount, unit = ''] of raw.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)) {
    seconds += Number(amount) * (secondsPerUnit[unit] ?? 0)
  }
  return seconds
}

/** One spelling for one instant: UTC, no trailing zeros. Year 1 is "not filled". What is no time stays as it is. */
function asTime(raw: string): Json {
  if (raw.startsWith('0001-01-01T')) return null
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i.exec(raw)
  if (parts === null) return raw
  const [, whole, fraction = '', offset = 'Z'] = parts
  const instant = offset.toUpperCase() === 'Z' ? `${whole}` : shiftToUtc(`${whole}${offset}`)
  if (instant === undefined) return raw
  const digits = fraction.replace(/0+$/, '')
  return `${instant}${digits === '' ? '' : `.${digits}`}Z`
}

function shiftToUtc(time: string): string | undefined {
  const instant = new Date(time)
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString().slice(0, 19)
}

/** Empty in any spelling: null, '', [], {}. */
function isEmpty(value: Json | undefined): boolean {
  if (value === null || value === undefined || value === '') return true
  if (typeof value !== 'object') return false
  for (const _ in value) return false
  return true
}

function objectOf(entries: readonly (readonly [string, Json])[]): Record<string, Json> {
  const out: Record<string, Json> = {}
  for (const [key, value] of entries) setOwn(out, key, value)
  return out
}

function inKeyOrder(object: JsonObject): JsonObject {
  return objectOf(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** The names that a weak secret may repeat. */
export function neighboursOf(raw: JsonObject): Neighbours {
  const name = raw.name ?? raw.title
  const address = raw.url ?? raw.target_url
  return {
    name: typeof name === 'string' ? name : '',
    uid: typeof raw.uid === 'string' ? raw.uid : '',
    host: typeof address === 'string' ? hostOf(address) : '',
  }
}
