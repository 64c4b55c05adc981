import { createRequire } from 'node:module'
import type { Environment } from '@marcbachmann/cel-js'
import type { Duration } from '@marcbachmann/cel-js/evaluator'
import { findsPattern } from '../../gateway/expressions.ts'
import { type Field, inOrder, type Members, text, wireSchema } from '../../gateway/fields.ts'
import { displayText, isExactNumber, jsonOfNumbers, numberText } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'
import { type Facts, isMasked, type Kind, type Resource, type SecretFacts } from '../../model/resource.ts'
import type { Meter } from '../../rules/engine/rule.ts'
import { destinationOf, reachOf } from '../../rules/shared/destination.ts'

/** The language for one kind: its types, its functions, and the state of the current evaluation. */
export interface Language {
  readonly environment: Environment
  readonly evaluation: Evaluation
  /** Classes of values, by type: `Endpoint`. */
  readonly classes: ReadonlyMap<string, ObjectClass>
  /** By type: its fields. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly variables: readonly string[]
}

/** Limits of an expression and of its nesting. */
const limits = { maxAstNodes: 500, maxDepth: 40, maxListElements: 200, maxMapEntries: 200 }

/** The members of `project`. */
const projectFields = { name: 'string', service: 'string', uid: 'string', labels: 'map<string, string>' }

export class ProjectValue {
  readonly name: string
  readonly service: string
  readonly uid: string
  readonly labels: ReadonlyMap<string, string>
  constructor(ref: Readonly<Record<'name' | 'service' | 'uid', string>>, labels: Readonly<Record<string, string>>) {
    this.name = ref.name
    this.service = ref.service
    this.uid = ref.uid
    this.labels = new Labels(labels).texts
  }
}

/** The fields of a kind as expressions see them: without references, with uid and name for all. */
export function fieldsOf(kind: Kind): Members {
  return inOrder({ name: text, ...withoutReferences(wireSchema[kind]), uid: text })
}

/** Related resources, by kind. */
export function otherVariables(kind: Kind): Readonly<Record<string, string>> {
  if (kind === 'subscription') return { endpoint: typeNameOf('endpoint'), source: typeNameOf('source') }
  return kind === 'endpoint' ? { subscriptions: 'int' } : {}
}

export function typeNameOf(kind: Kind): string {
  return kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The language for custom rules about resources of a kind. */
export function languageOf(kind: Kind): Language {
  const language = startLanguage()
  const { environment } = language
  for (const each of new Set<Kind>([kind, ...(kind === 'subscription' ? (['endpoint', 'source'] as const) : [])])) {
    registerObject(language, typeNameOf(each), fieldsOf(each))
  }
  environment.registerType('ProjectScope', { ctor: ProjectValue, fields: projectFields })
  language.fields.set('ProjectScope', Object.keys(projectFields))
  const variables = { resource: typeNameOf(kind), project: 'ProjectScope', ...otherVariables(kind) }
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type)
  return { ...language, variables: Object.keys(variables) }
}

/** The language for results of functions, which have no schema. */
export function payloadLanguage(): Language {
  const language = startLanguage()
  language.environment.registerVariable('payload', 'dyn')
  return { ...language, variables: ['payload'] }
}

/** A name that a policy cannot contain: the checker refuses it there. */
export const spentCall = '__spent'

interface Types {
  readonly environment: Environment
  readonly evaluation: Evaluation
  readonly classes: Map<string, ObjectClass>
  readonly fields: Map<string, readonly string[]>
}

function registerObject(types: Types, type: string, members: Members): void {
  const fields = Object.entries(members).map(([name, field]) => [name, typeOf(types, `${type}.${name}`, field)])
  const classOf = (name: string) => {
    const found = types.classes.get(`${type}.${name}`)
    if (found === undefined) throw new Error(`no type ${type}.${name}`)
    return found
  }
  const ctor = objectClass(members, classOf, types.evaluation)
  types.classes.set(type, ctor)
  types.fields.set(type, Object.keys(members))
  types.environment.registerType(type, { ctor, fields: Object.fromEntries(fields) })
}

const duration = 'google.protobuf.Duration'

/** A function that hookdrift adds to the language. */
interface ExtensionFunction {
  readonly signature: string
  readonly description: string
  /** The result changes with time, so no message may contain it. */
  readonly isTimed?: true
  // The checker of the language ensures that arguments have the types of the signature.
  readonly call: (evaluation: Evaluation, ...args: never[]) => unknown
}

let evaluator: typeof import('@marcbachmann/cel-js/evaluator') | undefined

/** Documented in docs/reference/policy.md; a test compares the two. */
export const extensionFunctions: readonly ExtensionFunction[] = [
  {
    signature: 'host(string): string',
    description: "an address's host, in lower case; empty when it is not an address",
    call: (_, url: string) => destinationOf(url)?.host ?? '',
  },
  {
    signature: 'isPrivate(string): bool',
    description: 'whether a host lies within: private, loopback, link-local, cloud metadata, an internal name',
    call: (_, host: string) => isPrivate(host),
  },
  {
    signature: 're(string, string): bool',
    description: 'whether a regular expression (RE2, written out) is found in a text; anchor it with ^ and $',
    call(evaluation, text: string, pattern: string) {
      if (evaluation.isSpent(1 + Math.floor(text.length / 1000))) throw new Error('out of steps')
      return findsPattern(pattern, text)
    },
  },
  {
    signature: `age(string): ${duration}`,
    description: 'how long ago a time is',
    isTimed: true,
    call: ({ now }, time: string) => elapsed(now - instantOf(time, 'age')),
  },
  {
    signature: `until(string): ${duration}`,
    description: 'how far ahead a time is',
    isTimed: true,
    call: ({ now }, time: string) => elapsed(instantOf(time, 'until') - now),
  },
  {
    signature: `days(int): ${duration}`,
    description: 'so many days, to compare with',
    call: (_, count: bigint) => durationOf(count * 86_400n),
  },
  {
    signature: `hours(int): ${duration}`,
    description: 'so many hours, to compare with',
    call: (_, count: bigint) => durationOf(count * 3600n),
  },
  {
    signature: 'isSet(Secret): bool',
    description: 'whether there is a secret at all',
    call: (_, secret: SecretValue) => secret.isSet,
  },
  {
    signature: 'isMasked(Secret): bool',
    description: 'whether the service masks it, so that nothing else can be known',
    call: (_, secret: SecretValue) => secret.isMasked,
  },
  {
    signature: 'minLength(Secret): int',
    description: 'what it is long at least: 0, 8, 16, 24, 32, 48 or 64 characters; fails for a masked one',
    call: (_, secret: SecretValue) => BigInt(secret.isSet ? factsOf(secret, 'minLength').min_length : 0),
  },
  {
    signature: 'isWeak(Secret): bool',
    description: 'whether it is easily guessed (a common word, a repetition, a name); fails for a masked one',
    call: (_, secret: SecretValue) => secret.isSet && factsOf(secret, 'isWeak').weak.length > 0,
  },
  {
    signature: 'sealedEqual(Secret, Secret): bool',
    description: 'whether two secrets are one and the same; fails for masked ones',
    call(_, one: SecretValue, other: SecretValue) {
      if (!one.isSet || !other.isSet) return false
      if (one.isMasked || other.isMasked) throw new Error('sealedEqual: the service masks the secret')
      return one.seal === other.seal
    },
  },
]

function isPrivate(host: string): boolean {
  const destination = destinationOf(`https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`)
  if (destination === undefined) throw new Error('isPrivate: not a host')
  return reachOf(destination) !== 'public'
}

/** An object of the resource. Fields become values of the language when an expression reads them. */
export class ObjectValue {
  /** Its members: of one that several have, the first. */
  readonly parts: readonly JsonObject[]
  readonly pointer: string
  readonly facts: Facts
  /** Whether a missing member is empty; otherwise the service did not show it. */
  readonly isAbsentEmpty: boolean
  constructor(parts: readonly JsonObject[], pointer: string, facts: Facts, isAbsentEmpty: boolean) {
    this.parts = parts
    this.pointer = pointer
    this.facts = facts
    this.isAbsentEmpty = isAbsentEmpty
  }
}

/** The resource as expressions see it, with the members that change by themselves. */
export function rootValue(Class: ObjectClass, resource: Resource): ObjectValue {
  const { uid, name, attributes, volatile, facts } = resource
  return new Class([{ uid, name }, volatile, attributes], '', facts, false)
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

let loaded: typeof import('@marcbachmann/cel-js') | undefined

/** The language's implementation. Loaded for the first expression: most policies have none. */
export function cel(): typeof import('@marcbachmann/cel-js') {
  loaded ??= createRequire(import.meta.url)('@marcbachmann/cel-js') as typeof import('@marcbachmann/cel-js')
  return loaded
}

type ObjectClass = new (...args: ConstructorParameters<typeof ObjectValue>) => ObjectValue

const outOfTime = 'the time that custom rules have together in a run was used up'

/** Limit of macro rounds of one expression for one resource; `re` counts one for each thousand characters. */
const maxSteps = 50_000
const stepsPerScan = 512

/**
 * The state of an evaluation. Functions and fields of the language write into it, because `||` or a macro can swallow
 * an error within an expression, but not this state.
 */
class Evaluation {
  #time: { readonly now: number } = { now: 0 }
  #steps = 0
  #meter: Meter | undefined
  #isStopped: string | undefined
  #hasReadUnshown = false

  /** Returns `undefined` where the expression read a value that the service does not show. @throws Error */
  run<T>(meter: Meter, time: { readonly now: number }, evaluate: () => T): T | undefined {
    this.#time = time
    this.#meter = meter
    this.#steps = 0
    this.#isStopped = undefined
    this.#hasReadUnshown = false
    if (meter.isSpent()) throw new Error(outOfTime)
    meter.begin()
    try {
      const value = evaluate()
      this.#refuseStopped()
      return this.#hasReadUnshown ? undefined : value
    } catch (error) {
      this.#refuseStopped()
      if (this.#hasReadUnshown) return undefined
      throw error
    } finally {
      meter.end()
    }
  }

  /** Milliseconds since the epoch. Read only when an expression needs it, because a replay records that. */
  get now(): number {
    return this.#time.now
  }

  get steps(): number {
    return this.#steps
  }

  /** Whether a limit ended the last evaluation. */
  get isStopped(): boolean {
    return this.#isStopped !== undefined
  }

  /** The value is unknown, so the expression has no result. */
  readUnshown(): void {
    this.#hasReadUnshown = true
  }

  /** Takes steps; returns whether the evaluation has to end. */
  isSpent(steps = 1): boolean {
    if (this.#isStopped !== undefined) return true
    const before = this.#steps
    this.#steps += steps
    if (this.#steps > maxSteps) this.#isStopped = `takes more than ${maxSteps} steps for one resource, the limit`
    else if (Math.floor(before / stepsPerScan) !== Math.floor(this.#steps / stepsPerScan) && this.#meter?.isSpent()) {
      this.#isStopped = outOfTime
    }
    return this.#isStopped !== undefined
  }

  #refuseStopped(): void {
    if (this.#isStopped !== undefined) throw new Error(this.#isStopped)
  }
}

/** A label that a project does not have is empty, not an error. */
class Labels {
  readonly texts: Map<string, string>
  constructor(labels: Readonly<Record<string, string>>) {
    const texts = new Map(Object.entries(labels))
    const get = texts.get.bind(texts)
    // The language takes no subclass of Map for a map, so this one gets a method of its own.
    this.texts = Object.assign(texts, { get: (label: string) => get(label) ?? '' })
  }
}

function withoutReferences(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, { use }]) => use !== 'reference'))
}

function startLanguage() {
  const evaluation = new Evaluation()
  const environment = new (cel().Environment)({ limits })
  environment.registerType('Secret', { ctor: SecretValue, fields: {} })
  for (const { signature, call } of extensionFunctions) {
    const handler: (...args: never[]) => unknown = (...args) => call(evaluation, ...args)
    environment.registerFunction(signature, { handler, async: false })
  }
  environment.registerFunction(`${spentCall}(): bool`, { handler: () => evaluation.isSpent(), async: false })
  const fields = new Map<string, readonly string[]>([['Secret', []]])
  return { environment, evaluation, classes: new Map<string, ObjectClass>(), fields }
}

/** A secret as expressions see it: only the functions for secrets read it. */
class SecretValue {
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

/** The type of a field by the wire schema; types of objects are registered on the way. */
function typeOf(types: Types, type: string, field: Field): string {
  switch (field.type) {
    case 'integer':
    case 'seconds':
      return 'int'
    case 'flag':
      return 'bool'
    case 'set':
    case 'addresses':
      return 'list<string>'
    case 'secret':
      return 'Secret'
    case 'free':
      return 'dyn'
    case 'struct':
      registerObject(types, type, withoutVolatile(field.members))
      return type
    case 'keyed':
      registerObject(types, type, { ...withoutVolatile(field.members), [field.by ?? 'uid']: text })
      return `list<${type}>`
    default:
      return 'string'
  }
}

/** Members that change by themselves are visible on the resource itself only. */
function withoutVolatile(members: Members): Members {
  return Object.fromEntries(Object.entries(withoutReferences(members)).filter(([, { use }]) => use !== 'volatile'))
}

/** One class for each object type: the language recognises types by class. */
function objectClass(members: Members, classOf: (name: string) => ObjectClass, evaluation: Evaluation) {
  const Class = class extends ObjectValue {}
  for (const [name, field] of Object.entries(members)) {
    if (field.use === 'reference') continue
    Object.defineProperty(Class.prototype, name, {
      get(this: ObjectValue) {
        return fieldValue(field, this, name, classOf, evaluation)
      },
    })
  }
  return Class
}

function fieldValue(
  field: Field,
  parent: ObjectValue,
  name: string,
  classOf: (name: string) => ObjectClass,
  evaluation: Evaluation,
): unknown {
  const raw = parent.parts.find((part) => Object.hasOwn(part, name))?.[name]
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
        isJsonObject(value) ? [value] : [],
        pointer,
        parent.facts,
        field.collapse === true || !isJsonObject(value),
      )
    case 'keyed':
      return Object.entries(isJsonObject(value) ? value : {}).map(([key, item]) => {
        const parts = [{ [field.by ?? 'uid']: key }, isJsonObject(item) ? item : {}]
        return new (classOf(name))(parts, `${pointer}/${pointerStep(key)}`, parent.facts, false)
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

/** A number outside the exact range of doubles: an int of 64 bits if possible, otherwise the nearest double. */
function numberValue(digits: string): bigint | number {
  if (!/^-?\d{1,19}$/.test(digits)) return Number(digits)
  const whole = BigInt(digits)
  return BigInt.asIntN(64, whole) === whole ? whole : Number(digits)
}

const maxItems = 10_000

function listOf(value: Json, name: string): readonly Json[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`)
  if (value.length > maxItems) throw new Error(`${name} has more than ${maxItems} items, the limit`)
  return value
}

const maxCharacters = 100_000

function textOf(value: Json, name: string): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? displayText(value) : jsonOfNumbers(JSON.stringify(value))
  if (text.length > maxCharacters) throw new Error(`${name} is longer than ${maxCharacters} characters, the limit`)
  return text
}

function elapsed(ms: number): Duration {
  const whole = Math.floor(ms / 1000)
  return durationOf(whole, (ms - whole * 1000) * 1_000_000)
}

/** A duration as the language has it. */
function durationOf(seconds: number | bigint, nanoseconds?: number): Duration {
  evaluator ??= createRequire(import.meta.url)(
    '@marcbachmann/cel-js/evaluator',
  ) as typeof import('@marcbachmann/cel-js/evaluator')
  return new evaluator.Duration(seconds, nanoseconds)
}

function instantOf(time: string, name: string): number {
  const instant = Date.parse(time)
  if (Number.isNaN(instant)) throw new Error(time === '' ? `${name}: no time is given` : `${name}: not a time`)
  return instant
}

function factsOf({ facts, isMasked }: SecretValue, name: string) {
  if (isMasked) throw new Error(`${name}: the service masks the secret`)
  if (facts === undefined) throw new Error(`${name}: nothing is known of the secret`)
  return facts
}
