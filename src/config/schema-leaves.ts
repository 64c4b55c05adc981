import type { Json } from '../model/json.ts'
import type { NodePath } from '../yaml/node-values.ts'

/** As much of JSON Schema as the walk uses. */
export interface SchemaNode {
  readonly type?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
}

export interface SchemaLeaf {
  readonly path: NodePath
  readonly value: Json
  /** Whether the schema has it, and not the value. */
  readonly isDefault: boolean
}

interface Walked {
  readonly path: NodePath
  readonly isDefault: boolean
}

/** The single values in a value that its schema accepts, with the defaults that the schema adds. */
export function* schemaLeaves(
  schema: SchemaNode,
  value: unknown,
  { path, isDefault }: Walked = { path: [], isDefault: false },
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
