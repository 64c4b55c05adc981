import { isExactNumber, nearestDouble } from '../model/exact-number.ts'
import {
  inKeyOrder,
  isEmpty,
  isJsonObject,
  type Json,
  type JsonObject,
  objectOf,
  pointerStep,
  setProperty,
} from '../model/json.ts'
import { parseAddress } from '../model/parse-address.ts'
import type { Release } from '../model/release-range.ts'
import { maskedSeal, type SecretFacts } from '../model/resource.ts'
import type { Field, KeyedList, Members, Struct } from '../model/wire-schema.ts'
import { isUlidOrUuid } from '../secrets/identifier-forms.ts'
import { mayNameSecret } from '../secrets/known-secrets.ts'
import { isMalformed, isNullMalformed, isNumeric, keyOfMisnamed } from './malformed.ts'
import { normaliseSent } from './normalise-leaf.ts'
import { asSecretText, isNormalTime } from './scalars.ts'
import {
  disarm,
  disarmText,
  keepsName,
  normaliseExtra,
  normaliseUnknown,
  sealExtraName,
  sealName,
  sealWithin,
} from './seal-json.ts'
import { sealCredentials, sealIdentifier, sealProse, sealUrl, sealWords } from './seal-text.ts'
import { holdsKnown, type Sealer, sealAsSent } from './sealer.ts'
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
  if (job.isStub) return normaliseOneByOne(members, raw, path, job, isGuarded)
  const seen = seenAlike(members, raw)
  for (const [name, field] of seen?.absent ?? absentMembers(members, Object.keys(raw))) {
    const isElsewhere =
      (field.onlyFor !== undefined && raw.type !== field.onlyFor) || (field.use !== undefined && path !== '')
    if (!isElsewhere) job.unseen.push({ pointer: `${path}/${name}`, since: field.since })
  }
  const normalise = seen && normaliserFor(seen, members, isGuarded, job.sealer)
  return normalise === undefined ? normaliseOneByOne(members, raw, path, job, isGuarded) : normalise(raw, path, job)
}

/** The members that an object with these names should show as well. */
function absentMembers(members: Members, names: readonly string[]): readonly (readonly [string, Field])[] {
  return Object.entries(members).filter(([name, { absent, use }]) => {
    const isAlwaysShown = absent !== 'empty' && absent !== 'apart' && use !== 'reference'
    return isAlwaysShown && !names.includes(name)
  })
}

/** The same for stubs, and for objects with odd members. */
function normaliseOneByOne(
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
  if (field.type === 'flag') return false
  return value === null || ((isEmpty(value) || value === 0) && !isMalformed(field, value))
}

function unknownKeys(members: Members, raw: JsonObject): readonly string[] {
  const unknown: string[] = []
  for (const key in raw) if (!Object.hasOwn(members, key)) unknown.push(key)
  return unknown
}

/** Normalises a field with any value, and says where it breaks the contract. */
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
    return [key, normaliseMembers(field.members, item, `${path}/${pointerStep(key)}`, job, field.guarded)]
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

/** Normalises objects that all show the same members in the same order. */
type NormaliseAlike = (raw: JsonObject, path: string, job: Normalisation) => JsonObject

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
  isRepeated: boolean
  normalise?: NormaliseAlike
}

/** What is known of objects that show the same members as this one; undefined for an odd one. */
function seenAlike(members: Members, raw: JsonObject): Seen | undefined {
  let interned = seenBefore.get(members)
  if (interned === undefined) {
    interned = []
    seenBefore.set(members, interned)
  }
  for (const seen of interned) {
    if (!shows(raw, seen.names)) continue
    seen.isRepeated = true
    return seen
  }
  const names = Object.keys(raw)
  if (names.length > mostNames || names.some(({ length }) => length > longestName)) return undefined
  if (interned.length === mostKept) interned.length = 0
  const seen = { names, absent: absentMembers(members, names), isRepeated: false }
  interned.push(seen)
  return seen
}

/**
 * The function for objects that show the same, made once, because a service fills the same members of every item. It
 * answers for the usual value of a leaf by what is quick to see, and leaves any other to `normaliseField`. Not for stubs,
 * whose empty members mean nothing. undefined for what has to be normalised member by member: odd names, and the first
 * object of its kind, so that a service cannot have a function made for every object.
 */
function normaliserFor(seen: Seen, members: Members, isGuarded: boolean, sealer: Sealer): NormaliseAlike | undefined {
  if (seen.normalise !== undefined || !seen.isRepeated) return seen.normalise
  const steps = stepsFor(members, seen.names, isGuarded, sealer)
  if (steps !== undefined) seen.normalise = makeNormaliser(steps, isGuarded)
  return seen.normalise
}

function shows(raw: JsonObject, names: readonly string[]): boolean {
  let at = 0
  for (const name in raw) {
    if (name !== names[at]) return false
    at++
  }
  return at === names.length
}

/** A member of the normal form, or a volatile one. */
interface Step {
  readonly name: string
  /** Whether the object shows it: an optional member that is not shown is null. */
  readonly isPresent: boolean
  /** undefined for a member that the contract does not have. */
  readonly field: Field | undefined
}

/** In canonical order. */
function stepsFor(
  members: Members,
  names: readonly string[],
  isGuarded: boolean,
  sealer: Sealer,
): readonly Step[] | undefined {
  const unknown = names.filter((name) => !Object.hasOwn(members, name))
  if (!unknown.every((name) => isOrdinaryName(name, isGuarded, sealer))) return undefined
  const fields = [...Object.entries(members), ...unknown.map((name) => [name, undefined] as const)]
  const steps: Step[] = []
  for (const [name, field] of fields.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isPresent = names.includes(name)
    if (field?.use === 'reference' || (!isPresent && !(field && isEmptyIfAbsent(field)))) continue
    steps.push({ name, isPresent, field })
  }
  return steps
}

/** Whether an unknown member has a name that stays, and that an object keeps at its place. Not so `__proto__`. */
function isOrdinaryName(name: string, isGuarded: boolean, sealer: Sealer): boolean {
  return /^[A-Za-z]/.test(name) && keepsName(name, isGuarded, sealer)
}

/**
 * Writes the function as program text, because only an object literal gives the engine all members at once: a loop that
 * adds one after the other gains nothing over the generic way. The text is safe: all that a service has in it are names
 * of members, each as a JSON text, which is a literal; no value is ever in it.
 */
function makeNormaliser(steps: readonly Step[], isGuarded: boolean): NormaliseAlike {
  const statements: string[] = []
  const members: string[] = []
  for (const [at, { name, isPresent, field }] of steps.entries()) {
    const key = JSON.stringify(name)
    if (isPresent) statements.push(`const value${at} = member${at}(raw[${key}], path, job)`)
    if (field?.use === 'volatile') statements.push(`noteVolatile(${key}, value${at}, path, job)`)
    else members.push(`${key}: ${isPresent ? `value${at}` : 'null'}`)
  }
  const text = `return (raw, path, job) => {\n${statements.join('\n')}\nreturn { ${members.join(', ')} }\n}`
  const parameters = steps.map((_, at) => `member${at}`)
  const functions = steps.map((step) => memberNormaliser(step, isGuarded))
  return new Function('noteVolatile', ...parameters, text)(noteVolatile, ...functions)
}

/** Rules calculate with it; it is never compared. */
function noteVolatile(name: string, value: Json, path: string, job: Normalisation): void {
  if (path === '') job.volatile[name] = nearestDouble(value)
}

type NormaliseMember = (value: Json, path: string, job: Normalisation) => Json

function memberNormaliser({ name, field }: Step, isGuarded: boolean): NormaliseMember {
  if (field === undefined) return (value, _, job) => normaliseExtra(value, name, isGuarded, job.sealer)
  const pointer = `/${pointerStep(name)}`
  const isNullFine = !isNullMalformed(field)
  const anyOther: NormaliseMember = (value, path, job) => normaliseField(field, value, path, name, pointer, job)
  switch (field.type) {
    case 'flag':
      return (value, path, job) => (value === null || typeof value === 'boolean' ? value : anyOther(value, path, job))
    case 'seconds':
      return (value, path, job) =>
        (value === null && isNullFine) || typeof value === 'number' ? value : anyOther(value, path, job)
    case 'integer':
      return (value, path, job) =>
        (value === null && isNullFine) || Number.isSafeInteger(value) ? value : anyOther(value, path, job)
    case 'time':
      return (value, path, job) => (value === null || isUsualTime(value) ? value : anyOther(value, path, job))
    case 'word':
      return (value, path, job) => (isOneOf(field.values, value) ? value : anyOther(value, path, job))
    case 'text':
      return (value, path, job) => {
        if (typeof value !== 'string' || !isOrdinaryText(value, job.sealer)) return anyOther(value, path, job)
        return isUlidOrUuid(value) ? value : sealIdentifier(value, job.sealer)
      }
    case 'name':
      return sealing(sealWords, anyOther)
    case 'prose':
      return sealing(sealProse, anyOther)
    case 'url':
      return field.isTarget === true ? sealing(sealUrl, anyOther, isAddress) : sealing(sealUrl, anyOther)
    // Most filters ask nothing.
    case 'free':
      return (value, path, job) => (isEmptyObject(value) ? value : anyOther(value, path, job))
    default:
      return anyOther
  }
}

/** `isFine`: of the sealed text, whether the contract allows it. */
function sealing(
  seal: (text: string, sealer: Sealer) => string,
  anyOther: NormaliseMember,
  isFine?: (text: string) => boolean,
): NormaliseMember {
  return (value, path, job) => {
    if (typeof value !== 'string' || !isOrdinaryText(value, job.sealer)) return anyOther(value, path, job)
    const sealed = seal(value, job.sealer)
    return isFine === undefined || isFine(sealed) ? sealed : anyOther(value, path, job)
  }
}

function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined
}

function isUsualTime(value: Json): boolean {
  return typeof value === 'string' && isNormalTime(value)
}

function isOneOf(values: readonly string[] | undefined, value: Json): boolean {
  return values !== undefined && typeof value === 'string' && values.includes(value)
}

function isEmptyObject(value: Json): boolean {
  return isJsonObject(value) && isEmpty(value)
}

/** A text that is not empty, and passes neither for a seal nor for a number. */
function isOrdinaryText(text: string, sealer: Sealer): boolean {
  return text !== '' && !text.includes('sealed:') && !isExactNumber(text) && !holdsKnown(text, sealer)
}
