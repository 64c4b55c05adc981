import { dirname } from 'node:path'
import { maskCredentials } from '../gateway/inventory/seal-text.ts'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import { isExactNumber } from '../model/exact-number.ts'
import type { Json } from '../model/json.ts'
import type { NodePath } from '../model/yaml/node-values.ts'
import { refuseProblems } from '../model/yaml/problem.ts'
import { examineDocument, type ReadDocument } from '../model/yaml/read-document.ts'
import {
  configurationJsonSchema,
  configurationLimits,
  configurationSchema,
  isSecretPath,
  secretPlaceholder,
} from './configuration-schema.ts'
import {
  expandReferences,
  isLiteral,
  type ReferenceSources,
  readConfigurationText,
  referenceIn,
} from './expand-references.ts'

/** A value that is in force, and where it comes from. */
export interface ConfigurationValue {
  readonly path: NodePath
  /** In the units of the file; null for a secret. */
  readonly value: Json
  readonly source: 'file' | 'environment' | 'option' | 'default'
  /** `hookdrift.yaml:5:10`, the name of a variable or an option; null for a default. */
  readonly at: string | null
  /** The first reference in the text, such as `${ACME_KEY}`; null where there is none. */
  readonly reference: string | null
  readonly isSecret: boolean
  /** Whether a secret has a value; true for all else. */
  readonly isSet: boolean
}

interface ShowRequest {
  readonly sources: ReferenceSources
  readonly cwd: string
  /** `--history` */
  readonly history: string | undefined
  readonly exists: (path: string) => boolean
}

/**
 * Every value of the configuration in force, in the order of its schema. Secrets may be missing, and their values are
 * never read into the result.
 * @throws AuditError.usage with a line for every mistake of the schema
 */
export function showConfiguration(file: string, context: ShowRequest): readonly ConfigurationValue[] {
  const { sources } = context
  const { text, ...origin } = readConfigurationText(file, sources, '`hookdrift docs configuration` shows one')
  const fill = expandReferences(file, sources, origin)
  const expand = (written: string, path: NodePath) =>
    isSecretPath(path) ? { text: secretPlaceholder(path) } : fill(written, path)
  const { document, problems } = examineDocument(text, {
    ...origin,
    file,
    expand,
    isSecret: isSecretPath,
    schema: configurationSchema,
    limits: configurationLimits,
  })
  // Values that contradict each other are shown: that may be how a person finds the one to change.
  refuseProblems(problems)
  if (document === undefined) throw new Error('a configuration was refused without a problem') // Lets the compiler know.
  // as: zod writes JSON Schema; of it, the walk uses what SchemaNode has.
  const leaves = [...schemaLeaves(configurationJsonSchema() as SchemaNode, document.given)]
  const ofSecrets = leaves.flatMap(({ path }) => referencesOf(isSecretPath(path) ? document.written(path) : undefined))
  const values = leaves.map(({ path, value, isDefault }): ConfigurationValue => {
    const written = document.written(path)
    const reference = written === undefined ? null : referenceIn(written) || null
    const isSecret = isSecretPath(path) && typeof value !== 'object'
    if (isDefault) return { path, value, source: 'default', at: null, reference, isSecret, isSet: true }
    return {
      path,
      value: isSecret ? null : showable(value, written, ofSecrets),
      ...sourceOf(document, path),
      reference,
      isSecret,
      isSet: !isSecret || isSetTo(written, path, fill),
    }
  })
  return withOverrides(values, file, context)
}

/** As much of JSON Schema as the walk uses. */
interface SchemaNode {
  readonly type?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
}

interface SchemaLeaf {
  readonly path: NodePath
  readonly value: Json
  /** Whether the schema has it, and not the value. */
  readonly isDefault: boolean
}

/** The single values in a value that its schema accepts, with the defaults that the schema adds. */
function* schemaLeaves(
  schema: SchemaNode,
  value: unknown,
  { path, isDefault }: { readonly path: NodePath; readonly isDefault: boolean } = { path: [], isDefault: false },
): Generator<SchemaLeaf> {
  if (Array.isArray(value) && value.some(isObject)) {
    const { items = {} } = branchFor(schema, value)
    for (const [index, item] of value.entries()) yield* schemaLeaves(items, item, { path: [...path, index], isDefault })
    return
  }
  if (!isObject(value)) {
    // as: what YAML and JSON Schema hold is JSON.
    yield { path, value: value as Json, isDefault }
    return
  }
  const { properties = {} } = branchFor(schema, value)
  for (const name of new Set([...Object.keys(properties), ...Object.keys(value)])) {
    const member = properties[name] ?? {}
    const inside = [...path, name]
    if (Object.hasOwn(value, name)) yield* schemaLeaves(member, value[name], { path: inside, isDefault })
    else if (member.default !== undefined) {
      yield* schemaLeaves(member, member.default, { path: inside, isDefault: true })
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Of alternatives, the one whose `type` the value has, else the first for values of its kind. */
function branchFor(schema: SchemaNode, value: object): SchemaNode {
  const branches = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  if (branches.length === 0) return schema
  const kind = Array.isArray(value) ? 'array' : 'object'
  const fitting = branches.filter(({ type }) => type === kind)
  const { type } = value as { readonly type?: unknown }
  return (
    fitting.find(({ properties }) => type !== undefined && properties?.type?.const === type) ?? fitting[0] ?? schema
  )
}

function referencesOf(written: string | undefined): readonly string[] {
  return [...(written ?? '').matchAll(/(?<!\$)\$\{(?:file:[^{}]{1,4096}|[A-Za-z_]\w{0,200})/g)].map(
    ([reference]) => reference,
  )
}

/** A reference that a secret has too is shown as written, wherever it is; a credential of a known form is masked. */
function showable(value: Json, written: string | undefined, ofSecrets: readonly string[]): Json {
  if (typeof value === 'string' && isExactNumber(value)) return value
  const shown = written !== undefined && referencesOf(written).some((one) => ofSecrets.includes(one)) ? written : value
  return typeof shown === 'string' ? maskCredentials(shown) : shown
}

function sourceOf(document: ReadDocument<unknown>, path: NodePath): Pick<ConfigurationValue, 'source' | 'at'> {
  const { file, line, column } = document.problem(path, '')
  return column === 0 ? { source: 'environment', at: file } : { source: 'file', at: `${file}:${line}:${column}` }
}

function isSetTo(written: string | undefined, path: NodePath, fill: ReturnType<typeof expandReferences>): boolean {
  if (written === undefined || isLiteral(written)) return true
  const filled = fill(written, path)
  return 'text' in filled && filled.text !== ''
}

/** The history and the installation key may be named elsewhere; without a policy, the recommended rules apply. */
function withOverrides(
  values: readonly ConfigurationValue[],
  file: string,
  { sources: { env }, cwd, history: option, exists }: ShowRequest,
): readonly ConfigurationValue[] {
  const plain = { reference: null, isSecret: false, isSet: true } as const
  const find = (name: string) => values.find(({ path }) => path.length === 1 && path[0] === name)
  const overridden =
    option === undefined
      ? environmentValue(env, 'HOOKDRIFT_HISTORY', (value) => ({ ...plain, path: ['history'], value }))
      : ({ ...plain, path: ['history'], value: option, source: 'option', at: '--history' } as const)
  const named = overridden ?? find('history')
  const base = overridden === undefined ? dirname(file) : cwd
  const location = readLocation(String(named?.value ?? ''), base)
  const history = named && location.kind === 'postgres' ? { ...named, value: location.displayName } : named
  const secret = { path: ['seal_key'], value: null, reference: null, isSecret: true } as const
  const sealKey = environmentValue(env, 'HOOKDRIFT_SEAL_KEY', () => ({ ...secret, isSet: true })) ??
    find('seal_key') ?? { ...secret, source: 'default' as const, ...keyFileOf(location, exists) }
  const policy = find('policy') ?? {
    ...plain,
    path: ['policy'],
    value: 'recommended',
    source: 'default' as const,
    at: null,
  }
  const others = values.filter(({ path: [first] }) => !['history', 'seal_key', 'policy'].includes(String(first)))
  return [...(history === undefined ? [] : [history]), sealKey, policy, ...others]
}

/** An empty variable counts as unset. */
function environmentValue(
  env: ReferenceSources['env'],
  name: string,
  make: (value: string) => Omit<ConfigurationValue, 'source' | 'at'>,
): ConfigurationValue | undefined {
  const value = env[name] ?? ''
  return value === '' ? undefined : { ...make(value), source: 'environment', at: name }
}

function keyFileOf(location: HistoryLocation, exists: ShowRequest['exists']): Pick<ConfigurationValue, 'at' | 'isSet'> {
  if (location.kind === 'postgres') return { at: null, isSet: false }
  return { at: location.keyFile, isSet: exists(location.keyFile) }
}
