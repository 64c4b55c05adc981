import { isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'
import { parseAddress } from '../../model/parse-address.ts'
import { isSealedWhole, type Kind } from '../../model/resource.ts'
import { aliases, type Field, type Members, wireSchema } from '../fields.ts'
import { hashStrength } from '../signatures.ts'
import { isInstant } from './scalars.ts'

/** JSON Pointers of the contract's fields whose value in a normal form has another type; usually none. */
export function malformedFields(kind: Kind, attributes: JsonObject): readonly string[] {
  const paths: string[] = []
  addMalformed(wireSchema[kind], attributes, '', paths)
  // Both names of one field: `takeInventory` keeps the second one when their values differ.
  for (const { within, alias, name } of aliases[kind] ?? []) {
    const owner = within === undefined ? attributes : attributes[within]
    if (!isJsonObject(owner) || !Object.hasOwn(owner, alias) || !Object.hasOwn(owner, name)) continue
    paths.push(within === undefined ? `/${name}` : `/${within}/${name}`)
  }
  return paths
}

/**
 * Whether a value in normal form breaks the contract. An empty one does where a word or an address is never empty, and in
 * place of a number; null in place of a text is an empty list in the normal form, as an empty text is null there.
 */
export function isMalformed(field: Field, value: Json): boolean {
  if (value === null)
    return (isMeant(field) && field.absent === 'suspect') || (isNumeric(field) && isNullMalformed(field))
  switch (field.type) {
    case 'flag':
      return typeof value !== 'boolean'
    case 'integer':
      // A volatile number may be a share (`failure_rate`).
      return typeof value !== 'number' || (field.use !== 'volatile' && !Number.isSafeInteger(value))
    case 'seconds':
      return typeof value !== 'number'
    case 'time':
      return typeof value !== 'string' || !isInstant(value)
    case 'set':
    case 'addresses':
      return !Array.isArray(value) || value.some(isNotText)
    case 'struct':
      return !isJsonObject(value)
    case 'keyed':
      return !isJsonObject(value) || Object.entries(value).some(([key, one]) => !isJsonObject(one) || isMisnamed(key))
    case 'word':
      return isNotText(value) || !isKnownWord(field, value)
    case 'url':
      return isNotText(value) || (field.isTarget === true && parseAddress(String(value)) === undefined)
    case 'free':
      if (field.isProse === true && isSealedWhole(value)) return false
      return !isJsonObject(value) && field.isAnything !== true
    case 'secret':
      return isNotText(value) && field.isAnything !== true
    default:
      return isNotText(value)
  }
}

/** Whether null is a wrong type: in place of a text, a number or an address that is never left out. */
export function isNullMalformed({ type, absent, isNullable }: Field): boolean {
  return absent !== 'empty' && isNullable !== true && !typesWithNone.includes(type)
}

/** An object, a list, a flag and a time may be none. */
const typesWithNone: readonly Field['type'][] = ['struct', 'keyed', 'free', 'set', 'addresses', 'flag', 'time']

export function isNumeric({ type }: Field): boolean {
  return type === 'integer' || type === 'seconds'
}

/**
 * The key, in the normal form of a list, of an object that is named by something else than a text: which one it is, and so
 * which one is missing, is not shown.
 */
export function keyOfMisnamed(index: number): string {
  return `#${index}?`
}

function isMisnamed(key: string): boolean {
  return /^#\d{1,9}\?$/.test(key)
}

/** Whether a value that should be a text is none. */
export function isNotText(value: Json): boolean {
  return typeof value !== 'string' || isExactNumber(value)
}

export interface DescribedField {
  /** `config.ssl.enforce_secure_endpoints`, `secrets[].expires_at`. */
  readonly path: string
  readonly expected: string
}

/** The field that a pointer leads to, without the uids on the way. */
export function describeField(kind: Kind, pointer: string): DescribedField {
  const { path, field } = fieldAt(kind, pointer)
  return { path, expected: field === undefined ? 'what the contract says' : expectationOf(field) }
}

/** Whether versions keep the field that a pointer leads to, so that it is compared. */
export function isStored(kind: Kind, pointer: string): boolean {
  return fieldAt(kind, pointer).field?.use === undefined
}

/** The field that a pointer leads to. */
export function fieldAt(kind: Kind, pointer: string): { readonly path: string; readonly field: Field | undefined } {
  let members: Members | undefined = wireSchema[kind]
  let field: Field | undefined
  let path = ''
  let isThing = false
  for (const step of pointer.split('/').slice(1)) {
    if (isThing) {
      isThing = false
      path += '[]'
      continue
    }
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const memberTypes: Members = members ?? {}
    field = Object.hasOwn(memberTypes, name) ? memberTypes[name] : undefined
    path += path === '' ? name : `.${name}`
    members = field?.type === 'struct' || field?.type === 'keyed' ? field.members : undefined
    isThing = field?.type === 'keyed'
  }
  return { path, field }
}

function addMalformed(members: Members, attributes: JsonObject, path: string, pointers: string[]): void {
  for (const [key, value] of Object.entries(attributes)) {
    const field = Object.hasOwn(members, key) ? members[key] : undefined
    if (field === undefined) continue
    const here = `${path}/${pointerStep(key)}`
    if (isMalformed(field, value)) pointers.push(here)
    else if (field.type === 'struct' && isJsonObject(value)) addMalformed(field.members, value, here, pointers)
    else if (field.type === 'keyed' && isJsonObject(value)) {
      for (const [uid, thing] of Object.entries(value)) {
        if (isJsonObject(thing)) addMalformed(field.members, thing, `${here}/${pointerStep(uid)}`, pointers)
      }
    }
  }
}

function isKnownWord({ values, isHash }: Field & { type: 'word' }, value: Json): boolean {
  return isHash === true ? hashStrength(String(value)) !== undefined : values?.includes(String(value)) !== false
}

/** Whether a text may be one and yet say nothing: a word of a vocabulary, an address that requests are sent to. */
function isMeant(field: Field): boolean {
  return field.type === 'word' || (field.type === 'url' && field.isTarget === true)
}

/**
 * Whether a malformed value is a text all the same: an unknown word, an address that does not parse, or an empty one. A rule
 * that is about just that can evaluate it.
 */
export function isUnknownText(kind: Kind, pointer: string, value: Json | undefined): boolean {
  const { field } = fieldAt(kind, pointer)
  if (field === undefined || !isMeant(field) || value === undefined) return false
  return value === null ? field.type === 'url' : !isNotText(value)
}

function expectationOf(field: Field): string {
  if (field.type === 'keyed') return `a list of objects, each with a text as ${field.by ?? 'uid'}`
  if (field.type === 'word' && (field.values !== undefined || field.isHash === true)) return 'a value of the contract'
  return field.type === 'url' && field.isTarget === true ? 'an address' : expectations[field.type]
}

const expectations: Readonly<Record<Exclude<Field['type'], 'keyed'>, string>> = {
  flag: 'a flag',
  integer: 'a whole number',
  seconds: 'a number of seconds',
  time: 'a time',
  set: 'a list',
  addresses: 'a list',
  struct: 'an object',
  text: 'a text',
  word: 'a text',
  name: 'a text',
  prose: 'a text',
  certificate: 'a text',
  code: 'a text',
  url: 'a text',
  'secret-url': 'a text',
  secret: 'a text',
  free: 'an object',
}
