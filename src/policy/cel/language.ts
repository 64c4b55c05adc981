import type { Environment } from '@marcbachmann/cel-js'
import { type Field, inOrder, type Members, text } from '../../inventory/field.ts'
import { wireSchema } from '../../inventory/wire-schema.ts'
import type { Kind } from '../../model/resource.ts'
import { cel } from './cel.ts'
import { Evaluation } from './evaluation.ts'
import { ownFunctions } from './functions.ts'
import { type ObjectClass, objectClass, SecretValue } from './values.ts'

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
export const projectFields = { name: 'string', service: 'string', uid: 'string', labels: 'map<string, string>' }

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

/** The fields of a kind as expressions see them: without references, with uid and name for all. */
export function fieldsOf(kind: Kind): Members {
  return inOrder({ name: text, ...shown(wireSchema[kind]), uid: text })
}

/** Related resources, by kind. */
export function otherVariables(kind: Kind): Readonly<Record<string, string>> {
  if (kind === 'subscription') return { endpoint: typeNameOf('endpoint'), source: typeNameOf('source') }
  return kind === 'endpoint' ? { subscriptions: 'int' } : {}
}

export function typeNameOf(kind: Kind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1)
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

function startLanguage() {
  const evaluation = new Evaluation()
  const environment = new (cel().Environment)({ limits })
  environment.registerType('Secret', { ctor: SecretValue, fields: {} })
  for (const { signature, call } of ownFunctions) {
    const handler: (...args: never[]) => unknown = (...args) => call(evaluation, ...args)
    environment.registerFunction(signature, { handler, async: false })
  }
  environment.registerFunction(`${spentCall}(): bool`, { handler: () => evaluation.isSpent(), async: false })
  const fields = new Map<string, readonly string[]>([['Secret', []]])
  return { environment, evaluation, classes: new Map<string, ObjectClass>(), fields }
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

function shown(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, { presence }]) => presence !== 'reference'))
}

/** Members that change by themselves are visible on the resource itself only. */
function withoutVolatile(members: Members): Members {
  return Object.fromEntries(Object.entries(shown(members)).filter(([, { presence }]) => presence !== 'volatile'))
}
