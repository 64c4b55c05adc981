import { isJsonObject, type Json, type JsonObject, pointerStep } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Field, Members } from './field.ts'
import { wireSchema } from './wire-schema.ts'

/** JSON Pointers of what the wire schema calls secret and what is no seal. There are none, unless somebody else wrote them. */
export function* openSecrets(kind: Kind, attributes: JsonObject): Generator<string> {
  yield* inMembers(wireSchema[kind], attributes, '')
}

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
