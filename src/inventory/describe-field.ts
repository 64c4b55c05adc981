import type { Kind } from '../model/resource.ts'
import type { Field, Members } from './field.ts'
import { wireSchema } from './wire-schema.ts'

export interface DescribedField {
  /** `config.ssl.enforce_secure_endpoints`, `secrets[].expires_at`. */
  readonly path: string
  readonly expected: string
}

/** The field that a pointer leads to, without the uids on the way. */
export function describeField(kind: Kind, pointer: string): DescribedField {
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
    const known: Members = members ?? {}
    field = Object.hasOwn(known, name) ? known[name] : undefined
    path += path === '' ? name : `.${name}`
    members = field?.type === 'struct' || field?.type === 'keyed' ? field.members : undefined
    isThing = field?.type === 'keyed'
  }
  return { path, expected: field === undefined ? 'what the contract says' : expectationOf(field) }
}

function expectationOf(field: Field): string {
  return field.type === 'word' && field.values !== undefined ? 'a value of the contract' : expectations[field.type]
}

const expectations: Readonly<Record<Field['type'], string>> = {
  flag: 'a flag',
  integer: 'a whole number',
  seconds: 'a number of seconds',
  time: 'a time',
  set: 'a list',
  addresses: 'a list',
  keyed: 'a list of objects',
  struct: 'an object',
  text: 'a text',
  word: 'a text',
  prose: 'a text',
  certificate: 'a text',
  code: 'a text',
  url: 'a text',
  'secret-url': 'a text',
  secret: 'a text',
  free: 'an object',
}
