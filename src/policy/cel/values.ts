import type { Field, Members } from '../../inventory/field.ts'
import { isExactNumber, jsonOfNumbers, numberText, shownText } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'
import { type Facts, isMasked, isReadable, type Resource, type SecretFacts } from '../../model/resource.ts'
import type { Evaluation } from './evaluation.ts'

const maxCharacters = 100_000
const maxItems = 10_000

/** A secret as expressions see it: only the functions for secrets read it. */
export class SecretValue {
  readonly seal: string
  readonly facts: SecretFacts | undefined
  constructor(seal: string, facts: SecretFacts | undefined) {
    this.seal = seal
    this.facts = facts
  }
  get isSet(): boolean {
    return this.seal !== ''
  }
  get isMasked(): boolean {
    return isMasked(this.seal)
  }
}

/** An object of the resource. Fields become values of the language when an expression reads them. */
export class ObjectValue {
  readonly raw: JsonObject
  readonly pointer: string
  readonly facts: Facts
  /** Whether a missing member is empty; otherwise the service did not show it. */
  readonly isAbsentEmpty: boolean
  constructor(raw: JsonObject, pointer: string, facts: Facts, isAbsentEmpty: boolean) {
    this.raw = raw
    this.pointer = pointer
    this.facts = facts
    this.isAbsentEmpty = isAbsentEmpty
  }
}

export type ObjectClass = new (...args: ConstructorParameters<typeof ObjectValue>) => ObjectValue

/** One class for each object type: the language recognises types by class. */
export function objectClass(members: Members, classOf: (name: string) => ObjectClass, evaluation: Evaluation) {
  const Class = class extends ObjectValue {}
  for (const [name, field] of Object.entries(members)) {
    if (field.presence === 'reference') continue
    Object.defineProperty(Class.prototype, name, {
      get(this: ObjectValue) {
        return fieldValue(field, this, name, classOf, evaluation)
      },
    })
  }
  return Class
}

/** The resource as expressions see it, with the members that change by themselves. */
export function rootValue(Class: ObjectClass, resource: Resource): ObjectValue {
  const { uid, name, attributes, volatile, facts } = resource
  const raw = isReadable(resource) ? { ...attributes } : withGetters(attributes)
  return new Class(Object.assign(raw, volatile, { uid, name }), '', facts, false)
}

/** A copy that reads no field: reads of malformed and unseen fields are recorded. */
function withGetters(attributes: JsonObject): Record<string, Json> {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(attributes))
}

function fieldValue(
  field: Field,
  parent: ObjectValue,
  name: string,
  classOf: (name: string) => ObjectClass,
  evaluation: Evaluation,
): unknown {
  const raw = Object.hasOwn(parent.raw, name) ? parent.raw[name] : undefined
  if (raw === undefined && !parent.isAbsentEmpty) evaluation.readUnshown()
  const value = raw ?? null
  const pointer = `${parent.pointer}/${pointerStep(name)}`
  switch (field.type) {
    case 'integer':
    case 'seconds':
      return integerOf(value, name)
    case 'flag':
      if (value !== null && typeof value !== 'boolean') throw new Error(`${name} is neither true nor false`)
      return value ?? false
    case 'set':
    case 'addresses':
      return listOf(value, name).map((item) => textOf(item, name))
    case 'secret':
      return new SecretValue(textOf(value, name), parent.facts[pointer])
    case 'free':
      return value === null ? {} : freeValue(value, { items: 0 })
    case 'struct':
      return new (classOf(name))(
        isJsonObject(value) ? value : {},
        pointer,
        parent.facts,
        field.collapse === true || !isJsonObject(value),
      )
    case 'keyed':
      return Object.entries(isJsonObject(value) ? value : {}).map(([key, item]) => {
        const raw = { ...(isJsonObject(item) ? item : {}), [field.by ?? 'uid']: key }
        return new (classOf(name))(raw, `${pointer}/${pointerStep(key)}`, parent.facts, false)
      })
    default:
      return textOf(value, name)
  }
}

function integerOf(value: Json, name: string): bigint {
  if (value === null) return 0n
  const exact = isExactNumber(value) ? numberValue(numberText(value)) : undefined
  if (typeof exact === 'bigint') return exact
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new Error(`${name} is not a whole number`)
  return BigInt(value)
}

function textOf(value: Json, name: string): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? shownText(value) : jsonOfNumbers(JSON.stringify(value))
  if (text.length > maxCharacters) throw new Error(`${name} is longer than ${maxCharacters} characters, the limit`)
  return text
}

function listOf(value: Json, name: string): readonly Json[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`)
  if (value.length > maxItems) throw new Error(`${name} has more than ${maxItems} items, the limit`)
  return value
}

/** A number outside the exact range of doubles: an int of 64 bits if possible, otherwise the nearest double. */
function numberValue(digits: string): bigint | number {
  if (!/^-?\d{1,19}$/.test(digits)) return Number(digits)
  const whole = BigInt(digits)
  return BigInt.asIntN(64, whole) === whole ? whole : Number(digits)
}

/** JSON from users: whole numbers are ints, others doubles. */
export function freeValue(value: Json, count: { items: number }): unknown {
  if (++count.items > maxItems) throw new Error(`a document has more than ${maxItems} parts, the limit`)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (isExactNumber(value)) return numberValue(numberText(value))
  if (typeof value === 'string') return textOf(value, 'a text')
  if (Array.isArray(value)) return value.map((item) => freeValue(item, count))
  if (!isJsonObject(value)) return value
  return new Map(Object.entries(value).map(([key, member]) => [key, freeValue(member, count)]))
}
