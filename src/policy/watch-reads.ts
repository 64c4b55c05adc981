import type { FieldChange } from '../model/change.ts'
import { isJsonObject, isWithinPointer, type Json, type JsonObject, pointerStep } from '../model/json.ts'
import type { Resource } from '../model/resource.ts'

/** Beyond this many such fields, the whole attribute around them counts as one. */
const mostPointers = 100

/**
 * A resource that reports when one of its malformed or unseen fields is read, and which. `within`: also when a value that
 * contains one is read, for callers that keep the value and read it later.
 */
export function watchReads(resource: Resource, onRead: OnRead, { within = false } = {}): Resource {
  const { attributes, volatile, malformed = [], unseen = [] } = resource
  const malformedPointers = malformed.length > mostPointers ? [...new Set(malformed.map(firstStep))] : malformed
  const pointers = [...malformedPointers, ...unseen]
  const inner = Map.groupBy(
    pointers.flatMap((pointer) => parentsOf(pointer).map((parent) => ({ parent, pointer }))),
    ({ parent }) => parent,
  )
  const parents = new Map([...inner].map(([parent, of]) => [parent, of.map(({ pointer }) => pointer)]))
  const watch: Watch = { onRead, within, unreadable: new Set(pointers), parents }
  const seen = watched(attributes, '', watch)
  for (const pointer of unseen) watchAbsent(seen, pointer, onRead)
  return { ...resource, attributes: seen, volatile: watched(volatile, '', watch) }
}

export type OnRead = (pointers: readonly string[]) => void

/** What was neither shown nor carried: a rule that asks for it reads it. Listing members does not show it. */
function watchAbsent(attributes: JsonObject, pointer: string, onRead: OnRead): void {
  const name = pointer.slice(1)
  if (Object.hasOwn(attributes, name)) return
  Object.defineProperty(attributes, name, {
    configurable: true,
    get() {
      onRead([pointer])
      return undefined
    },
  })
}

/** A watched resource, and which of its malformed or unseen fields were read. */
export function trackReads(resource: Resource, options?: { readonly within: boolean }) {
  const read = new Set<string>()
  const onRead: OnRead = (pointers) => {
    for (const pointer of pointers) read.add(pointer)
  }
  return { seen: watchReads(resource, onRead, options), hasRead: () => read.size > 0, read, onRead }
}

/** The same changes; the value that a malformed or unseen field has now is watched as the field itself. */
export function watchChanges(
  fields: readonly FieldChange[],
  { malformed = [], unseen = [] }: Pick<Resource, 'malformed' | 'unseen'>,
  onRead: OnRead,
): readonly FieldChange[] {
  const unreadable = [...unseen, ...malformed]
  return fields.map((change) => {
    const pointer = unreadable.find((field) => isWithinPointer(change.path, field))
    if (pointer === undefined) return change
    const { path, before, after } = change
    return {
      path,
      before,
      get after() {
        onRead([pointer])
        return after
      },
    }
  })
}

/** The same changes, which report when the value before or after is read, with the path. */
export function watchValues(fields: readonly FieldChange[], onRead: (path: string) => void): readonly FieldChange[] {
  return fields.map(({ path, before, after }) => ({
    path,
    get before() {
      onRead(path)
      return before
    },
    get after() {
      onRead(path)
      return after
    },
  }))
}

interface Watch {
  readonly onRead: OnRead
  readonly within: boolean
  readonly unreadable: ReadonlySet<string>
  /** Objects and lists around such fields, with their fields. */
  readonly parents: ReadonlyMap<string, readonly string[]>
}

/** The same members, some as getters: listing them reads none, copying them reads all. */
function watched(object: JsonObject, path: string, watch: Watch): JsonObject {
  const copy: Record<string, Json> = {}
  for (const [key, value] of Object.entries(object)) {
    const here = `${path}/${pointerStep(key)}`
    const within = watch.parents.get(here)
    const isUnreadable = watch.unreadable.has(here)
    if (within === undefined && !isUnreadable) {
      Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true })
      continue
    }
    let inner: Json | undefined
    Object.defineProperty(copy, key, {
      enumerable: true,
      configurable: true,
      get() {
        if (isUnreadable) watch.onRead([here])
        else if (watch.within) watch.onRead(within ?? [])
        inner ??= within !== undefined && isJsonObject(value) ? watched(value, here, watch) : value
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
