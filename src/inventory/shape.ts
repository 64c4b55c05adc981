import { isJsonObject, type JsonObject } from '../model/json.ts'
import type { Resource } from '../model/resource.ts'
import type { Members } from './field.ts'
import { wireSchema } from './wire-schema.ts'

/**
 * The fields that every item of a listing shows, as sorted paths (`config.ssl`). A release of the service fills a fixed
 * set of them; when the set changes between runs, the service changed and not its users. `undefined`: no items yet, so
 * nothing is known.
 */
export type Shape = ReadonlySet<string> | undefined

/** The shape of these items and those before them. */
export function narrowShape(shape: Shape, resources: readonly Resource[]): Shape {
  const [first] = resources
  if (first === undefined) return shape
  const before = shape ?? shownPaths(wireSchema[first.kind], first.attributes, '')
  let narrowed = [...before].map((path) => ({ path, steps: path.split('.') }))
  for (const { attributes } of resources) {
    const missed = narrowed.find(({ steps }) => !shows(attributes, steps))
    if (missed !== undefined) narrowed = narrowed.filter(({ steps }) => shows(attributes, steps))
  }
  return shape?.size === narrowed.length ? shape : new Set(narrowed.map(({ path }) => path))
}

/** The fields that appeared and those no longer shown; undefined if both shapes agree or one is unknown. */
export function compareShapes(before: Shape, after: Shape): { appeared: string[]; vanished: string[] } | undefined {
  if (before === undefined || after === undefined) return undefined
  const appeared = [...after].filter((path) => !before.has(path)).sort()
  const vanished = [...before].filter((path) => !after.has(path)).sort()
  return appeared.length + vanished.length === 0 ? undefined : { appeared, vanished }
}

function* shownPaths(members: Members, attributes: JsonObject, prefix: string): Generator<string> {
  for (const [key, value] of Object.entries(attributes)) {
    yield prefix + key
    const field = members[key]
    if (field?.type === 'struct' && field.collapse === undefined && isJsonObject(value)) {
      yield* shownPaths(field.members, value, `${prefix}${key}.`)
    }
  }
}

function shows(attributes: JsonObject, steps: readonly string[]): boolean {
  let here: unknown = attributes
  for (const step of steps) {
    if (!isJsonObject(here) || !(step in here)) return false
    here = here[step]
  }
  return true
}
