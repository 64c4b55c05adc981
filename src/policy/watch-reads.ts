import { isJsonObject, type Json, type JsonObject, pointerStep } from '../model/json.ts'
import type { Resource } from '../model/resource.ts'

/** Beyond this many malformed fields, the whole attribute around them counts as one. */
const mostPointers = 100

/**
 * A resource that reports when one of its malformed fields is read. `within`: also when a value that contains one is
 * read, for callers that keep the value and read it later.
 */
export function watchReads(resource: Resource, onRead: () => void, { within = false } = {}): Resource {
  const { attributes, volatile, malformed = [] } = resource
  const pointers = malformed.length > mostPointers ? malformed.map(firstStep) : malformed
  const watch: Watch = { onRead, within, malformed: new Set(pointers), parents: new Set(pointers.flatMap(parentsOf)) }
  return { ...resource, attributes: watched(attributes, '', watch), volatile: watched(volatile, '', watch) }
}

/** A watched resource, and whether a malformed field of it was read. */
export function trackReads(resource: Resource, options?: { readonly within: boolean }) {
  let hasRead = false
  const onRead = () => {
    hasRead = true
  }
  return { seen: watchReads(resource, onRead, options), hasRead: () => hasRead }
}

interface Watch {
  readonly onRead: () => void
  readonly within: boolean
  readonly malformed: ReadonlySet<string>
  /** Objects and lists around malformed fields. */
  readonly parents: ReadonlySet<string>
}

/** The same members, some as getters: listing them reads none, copying them reads all. */
function watched(object: JsonObject, path: string, watch: Watch): JsonObject {
  const copy: Record<string, Json> = {}
  for (const [key, value] of Object.entries(object)) {
    const here = `${path}/${pointerStep(key)}`
    const isParent = watch.parents.has(here)
    if (!isParent && !watch.malformed.has(here)) {
      Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true })
      continue
    }
    let inner: Json | undefined
    Object.defineProperty(copy, key, {
      enumerable: true,
      configurable: true,
      get() {
        if (!isParent || watch.within) watch.onRead()
        inner ??= isParent && isJsonObject(value) ? watched(value, here, watch) : value
        return inner
      },
    })
  }
  return copy
}

function firstStep(pointer: string): string {
  const end = pointer.indexOf('/', 1)
  return end < 0 ? pointer : pointer.slice(0, end)
}

function parentsOf(pointer: string): string[] {
  const parents: string[] = []
  for (let at = pointer.indexOf('/', 1); at > 0; at = pointer.indexOf('/', at + 1)) parents.push(pointer.slice(0, at))
  return parents
}
