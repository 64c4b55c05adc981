import { isJsonObject, type Json, type JsonObject, pointerStep } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import { type Field, type Members, wireSchema } from '../model/wire-schema.ts'

interface FoundSeal {
  /** JSON Pointer to the value that is or contains it. */
  readonly path: string
  readonly seal: string
}

/**
 * Finds the seals of secrets. Not those in programs, filters and texts of people, where a seal replaces what merely
 * looks like a secret, and not that in the address of a source, which the service makes.
 */
export function* findSeals(kind: Kind, attributes: JsonObject): Generator<FoundSeal> {
  for (const found of sealsOf(wireSchema[kind], attributes, '')) {
    if (kind !== 'source' || found.path !== '/url') yield found
  }
}

function* sealsOf(members: Members, object: JsonObject, path: string): Generator<FoundSeal> {
  for (const [key, value] of Object.entries(object)) {
    const field = Object.hasOwn(members, key) ? members[key] : undefined
    yield* sealsIn(field, value, `${path}/${pointerStep(key)}`)
  }
}

function* sealsIn(field: Field | undefined, value: Json, path: string): Generator<FoundSeal> {
  if (typeof value === 'string') {
    if (field !== undefined && !secretTypes.has(field.type)) return
    for (const [seal] of value.matchAll(/sealed:[0-9a-f]{32}/g)) yield { path, seal }
  } else if (Array.isArray(value)) {
    for (const one of value) yield* sealsIn(field, one, path)
  } else if (isJsonObject(value)) {
    if (field?.type === 'free') return
    if (field?.type !== 'keyed') yield* sealsOf(field?.type === 'struct' ? field.members : {}, value, path)
    else {
      for (const [key, one] of Object.entries(value)) {
        const here = `${path}/${pointerStep(key)}`
        if (isJsonObject(one)) yield* sealsOf(field.members, one, here)
        else yield* sealsIn(undefined, one, here)
      }
    }
  }
}

const secretTypes: ReadonlySet<string> = new Set(['secret', 'secret-url', 'url', 'addresses'])
