import { isEqual, isJsonObject, type Json, type JsonObject, pointerStep, valueAt } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Field, Members } from './field.ts'
import { reseal } from './reseal.ts'
import { type Part, resealName, resealPart } from './reseal-part.ts'
import { resealText } from './reseal-text.ts'
import type { Sealer } from './sealer.ts'
import { wireSchema } from './wire-schema.ts'

/**
 * Tells what should be sealed and is not, by asking what would be sealed today. Needs no key: there is nothing, unless an
 * earlier version or another program wrote it.
 */
export const openSecrets = {
  /** JSON Pointers of what is open in a body, each once. */
  inBody(kind: Kind, attributes: JsonObject): Iterable<string> {
    const resealed = reseal(kind, attributes, detector)
    const paths = new Set([...inMembers(wireSchema[kind], attributes, ''), ...differences(attributes, resealed, '')])
    return [...paths].map((path) => withoutValue(path, valueAt(attributes, path)))
  },
  inPart(kind: Kind, part: Part): boolean {
    const resealed = resealPart(kind, part, detector)
    return resealed.path !== part.path || !isEqual(resealed.value, part.value)
  },
  inName: (kind: Kind, name: string): boolean => resealName(kind, name, detector) !== name,
  inText: (text: string): boolean => resealText(text, detector) !== text,
}

const detector: Sealer = {
  keyId: '',
  seal: (secret) => (seal.test(secret) ? secret : `sealed:${'0'.repeat(32)}`),
}

/** A thing may be keyed by its own secret. */
function withoutValue(path: string, value: Json | undefined): string {
  return typeof value === 'string' && value !== '' ? path.replaceAll(pointerStep(value), '…') : path
}

/** Where two forms of one value differ. A member whose name differs is told by what it is in: the name may be the secret. */
function* differences(before: Json, after: Json, path: string): Generator<string> {
  if (isEqual(before, after)) return
  if (!isJsonObject(before) || !isJsonObject(after)) yield path
  else {
    for (const [key, value] of Object.entries(before)) {
      const now = Object.hasOwn(after, key) ? after[key] : undefined
      if (now === undefined) yield path
      else yield* differences(value, now, `${path}/${pointerStep(key)}`)
    }
  }
}

/** What the wire schema calls secret and what is no seal. */
function* inMembers(members: Members, attributes: JsonObject, path: string): Generator<string> {
  for (const key of secretKeys(members)) {
    const [field, value] = [members[key], Object.hasOwn(attributes, key) ? attributes[key] : undefined]
    if (field !== undefined && value !== undefined) yield* inField(field, value, `${path}/${pointerStep(key)}`)
  }
}

function* inField(field: Field, value: Json, path: string): Generator<string> {
  if (field.type === 'secret' || field.type === 'secret-url') {
    const sealed = field.type === 'secret' ? seal : sealedBehindHost
    if (value !== null && !(typeof value === 'string' && sealed.test(value))) yield path
  } else if (field.type === 'struct' && isJsonObject(value)) {
    yield* inMembers(field.members, value, path)
  } else if (field.type === 'keyed' && isJsonObject(value)) {
    for (const [uid, thing] of Object.entries(value)) {
      if (isJsonObject(thing)) yield* inMembers(field.members, thing, `${path}/${pointerStep(uid)}`)
    }
  }
}

const seal = /^sealed:(?:[0-9a-f]{32}|masked)$/
const sealedBehindHost =
  /^(?:[a-z][a-z0-9+.-]*:[/\\]+|[/\\]{2})?(?:sealed:(?:[0-9a-f]{32}|masked)@)?[^/\\?#@]*(?:\/?|\/sealed:(?:[0-9a-f]{32}|masked))$/i

const known = new WeakMap<Members, readonly string[]>()

/** Members that are secret or hold what is: few, and a history holds many bodies. */
function secretKeys(members: Members): readonly string[] {
  const keys = known.get(members) ?? Object.keys(members).filter((key) => mayBeSecret(members[key]))
  known.set(members, keys)
  return keys
}

function mayBeSecret(field: Field | undefined): boolean {
  if (field === undefined || field.presence === 'reference') return false
  if (field.type === 'struct' || field.type === 'keyed') return secretKeys(field.members).length > 0
  return field.type === 'secret' || field.type === 'secret-url'
}
