import { isUnknownText } from '../gateway/inventory/malformed.ts'
import type { FieldChange } from '../model/change.ts'
import {
  isJsonObject,
  isWithinPointer,
  type Json,
  type JsonObject,
  objectOf,
  pointerStep,
  stepsOf,
  valueAt,
} from '../model/json.ts'
import type { Resource } from '../model/resource.ts'
import { unwatched } from '../rules/engine/attributes.ts'
import type { Rule } from '../rules/engine/rule.ts'

/** Beyond this many such fields, the whole attribute around them counts as one. */
const mostPointers = 100

/**
 * A resource that reports when one of its malformed or unseen fields is read, and which: its value, whether it is there,
 * or all members of the object that should show it.
 */
export function watchReads(resource: Resource, onRead: OnRead): Resource {
  const { attributes, volatile, malformed = [], unseen = [] } = resource
  const pointers = [malformed, unseen].flatMap((some) =>
    some.length > mostPointers ? [...new Set(some.map(firstStep))] : some,
  )
  const root = newField('')
  for (const pointer of pointers) {
    let field = root
    for (const name of stepsOf(pointer)) {
      const inner = field.inner.get(name) ?? newField(`${field.pointer}/${pointerStep(name)}`)
      field.inner.set(name, inner)
      inner.unreadable.push(pointer)
      field = inner
    }
  }
  return { ...resource, attributes: watched(attributes, root, onRead), volatile: watched(volatile, root, onRead) }
}

/** A resource as a rule may rely on it: what is malformed to others is a text to a rule that takes any. */
export function asReadBy({ takesText, custom }: Pick<Rule, 'takesText' | 'custom'>, resource: Resource): Resource {
  // Nearly every resource is whole, and each is asked about for each rule.
  if (resource.malformed === undefined || (takesText === undefined && custom === undefined)) return resource
  const { malformed, ...others } = resource
  const isAny = custom !== undefined || takesText === 'any'
  const unreadable = malformed.filter((pointer) => {
    const isTaken = isAny || takesText?.includes(pointer) === true
    return !isTaken || !isUnknownText(resource.kind, pointer, valueAt(resource.attributes, pointer))
  })
  return unreadable.length === 0 ? others : { ...others, malformed: unreadable }
}

export type OnRead = (pointers: readonly string[]) => void

/** Where the unreadable fields of a resource lie. */
interface WatchedField {
  readonly pointer: string
  readonly inner: Map<string, WatchedField>
  /** The unreadable fields here and within. */
  readonly unreadable: string[]
}

function newField(pointer: string): WatchedField {
  return { pointer, inner: new Map(), unreadable: [] }
}

function watched(object: JsonObject, field: WatchedField, onRead: OnRead): JsonObject {
  const seen = new Map<string, JsonObject>()
  const innerOf = (key: string | symbol) => (typeof key === 'string' ? field.inner.get(key) : undefined)
  const noteAbsent = (inner: WatchedField | undefined, key: string) => {
    if (inner?.unreadable.includes(inner.pointer) && !Object.hasOwn(object, key)) onRead([inner.pointer])
  }
  // A copy, because what a frozen object has cannot be shown otherwise.
  const view = new Proxy(objectOf(Object.entries(object)), {
    get(target, key, receiver) {
      const value: Json | undefined = Reflect.get(target, key, receiver)
      const inner = innerOf(key)
      if (inner === undefined || typeof key !== 'string') return value
      if (inner.unreadable.includes(inner.pointer)) onRead([inner.pointer])
      if (inner.inner.size === 0 || !isJsonObject(value)) return value
      const known = seen.get(key) ?? watched(value, inner, onRead)
      seen.set(key, known)
      return known
    },
    has(target, key) {
      if (typeof key === 'string') noteAbsent(innerOf(key), key)
      return Reflect.has(target, key)
    },
    getOwnPropertyDescriptor(target, key) {
      if (typeof key === 'string') noteAbsent(innerOf(key), key)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    ownKeys(target) {
      for (const [key, inner] of field.inner) noteAbsent(inner, key)
      return Reflect.ownKeys(target)
    },
  })
  unwatched.set(view, object)
  return view
}

/** A watched resource, and which of its malformed or unseen fields were read. */
export function trackReads(resource: Resource) {
  const read = new Set<string>()
  const onRead: OnRead = (pointers) => {
    for (const pointer of pointers) read.add(pointer)
  }
  return { seen: watchReads(resource, onRead), hasRead: () => read.size > 0, read, onRead }
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

function firstStep(pointer: string): string {
  return pointer.split('/', 2).join('/')
}
