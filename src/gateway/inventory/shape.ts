import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Kind, Resource } from '../../model/resource.ts'
import { type Members, wireSchema } from '../fields.ts'
import { volatileSigns } from '../release-signs.ts'

/**
 * The fields that every item of a listing shows, as sorted paths (`config.ssl`). A release of the service fills a fixed
 * set of them; when the set changes between runs, the service changed and not its users. `undefined`: no items yet, so
 * nothing is known.
 */
export type Shape = ReadonlySet<string> | undefined

/** What an item shows. */
type ItemContent = Pick<Resource, 'kind' | 'attributes'> & Partial<Pick<Resource, 'volatile'>>

/** The shape of an item and those before it. */
export function narrowBy(shape: Shape, item: ReadonlySet<string>): ReadonlySet<string> {
  if (shape === undefined || shape === item) return item
  const shared = [...shape].filter((path) => item.has(path))
  return shared.length === shape.size ? shape : new Set(shared)
}

/** The fields that appeared and those no longer shown; undefined if both shapes agree or one is unknown. */
export function compareShapes(before: Shape, after: Shape): { appeared: string[]; vanished: string[] } | undefined {
  if (before === undefined || after === undefined) return undefined
  const appeared = [...after].filter((path) => !before.has(path)).sort()
  const vanished = [...before].filter((path) => !after.has(path)).sort()
  return appeared.length + vanished.length === 0 ? undefined : { appeared, vanished }
}

/** The fields that one item shows, with those of structs. Most items of a listing show the same ones: one object. */
export function shapeOf({ kind, attributes, volatile = {} }: ItemContent): ReadonlySet<string> {
  const members = wireSchema[kind]
  const signs = volatileSigns.filter((name) => Object.hasOwn(volatile, name))
  let end = follow(roots[kind], members, attributes)
  for (const name of signs) end = end && stepTo(end, name)
  if (end === undefined) return new Set([...pathsIn(members, attributes, ''), ...signs])
  end.shape ??= internShape([...pathsIn(members, attributes, ''), ...signs])
  return end.shape
}

/** The one object for these paths, as long as there are not too many. */
function internShape(paths: Iterable<string>): ReadonlySet<string> {
  const fresh = new Set(paths)
  const key = [...fresh].sort().join('\n')
  const known = interned.get(key)
  if (known !== undefined) return known
  if (interned.size < mostShapes) interned.set(key, fresh)
  return fresh
}

const interned = new Map<string, ReadonlySet<string>>()
/** A service may send any number: those beyond are not kept. */
const mostShapes = 1000
const mostSteps = 20_000

/** Members in the order in which items show them; the end of a way names a shape. */
interface Step {
  readonly next: Map<string, Step>
  shape?: ReadonlySet<string>
}

const newStep = (): Step => ({ next: new Map() })
let steps = 0
const roots: Readonly<Record<Kind, Step>> = {
  project: newStep(),
  endpoint: newStep(),
  subscription: newStep(),
  source: newStep(),
  event_type: newStep(),
  device: newStep(),
  probe: newStep(),
  service: newStep(),
  policy: newStep(),
}

/** undefined when there are too many ways to keep another one. */
function follow(from: Step, members: Members, attributes: JsonObject): Step | undefined {
  let here: Step | undefined = from
  for (const key in attributes) {
    if (isReadApart(key, members)) continue
    here = stepTo(here, key)
    if (here === undefined) return undefined
    const inner = innerOf(members[key], attributes[key])
    if (inner === undefined) continue
    here = stepTo(here, ' {')
    if (here !== undefined) here = follow(here, inner.members, inner.value)
    if (here !== undefined) here = stepTo(here, ' }')
    if (here === undefined) return undefined
  }
  return here
}

function stepTo({ next }: Step, key: string): Step | undefined {
  const following = next.get(key)
  if (following !== undefined) return following
  if (steps >= mostSteps) return undefined
  steps++
  const made = newStep()
  next.set(key, made)
  return made
}

function* pathsIn(members: Members, attributes: JsonObject, prefix: string): Generator<string> {
  for (const [key, value] of Object.entries(attributes)) {
    if (isReadApart(key, members)) continue
    // A dot within a name would read as a step.
    if (!key.includes('.')) yield prefix + key
    const inner = innerOf(members[key], value)
    if (inner !== undefined) yield* pathsIn(inner.members, inner.value, `${prefix}${key}.`)
  }
}

/** Whether a field is read by requests of its own: whether it is shown says nothing of the listing. */
function isReadApart(key: string, members: Members): boolean {
  return members[key]?.absent === 'apart'
}

/** The members of a struct and its value; undefined for other fields. */
function innerOf(field: Members[string] | undefined, value: Json | undefined) {
  const isStruct = field?.type === 'struct' && field.collapse === undefined
  return isStruct && isJsonObject(value) ? { members: field.members, value } : undefined
}
