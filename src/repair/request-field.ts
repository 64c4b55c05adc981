import type { Json } from '../model/json.ts'

/**
 * How the service's update and create requests take the fields of the normal form, one table for each kind. An update
 * replaces most of a resource: what the request leaves out is wiped.
 */
export type RequestFields = Readonly<Record<string, RequestField>>
export type RequestField = WrittenField | UnwrittenField

export interface WrittenField {
  /**
   * `value`: as in the normal form. `duration`: a number of seconds as a Go duration (`"90s"`). `list`: an object keyed
   * by uid as a list. `object`: member by member; `collapsed` if an absent member means an empty one.
   */
  readonly as: 'value' | 'duration' | 'list' | 'object' | 'collapsed'
  /** Of an object, or of each item of a list. */
  readonly members?: RequestFields
  /** The names in the request, outermost first, where they differ. */
  readonly to?: readonly string[]
  /** What the request sends for an empty field. */
  readonly empty: Json
  /** When the service keeps its value: if the request leaves the field out, or also if it sends it empty. */
  readonly keeps?: 'omitted' | 'empty'
  /** Taken by the create request only. */
  readonly onlyCreate?: true
  /** Older releases do not have it: one that was never shown is mostly not there, and nothing is said of it. */
  readonly isNewer?: true
  /** Its name in the answers and requests of one release, which newer ones refuse. */
  readonly formerly?: FormerName
}

export interface FormerName {
  readonly name: string
  /** A field of the same object that every later release shows, and that release does not. */
  readonly until: string
}

/** A field that no request of the service writes. */
export interface UnwrittenField {
  readonly as: 'nothing'
  /** A sentence for people: who sets it, and what to do instead. */
  readonly because: string
}

export const value = (empty: Json): WrittenField => ({ as: 'value', empty })
export const text = value('')
export const number = value(0)
export const flag = value(false)
export const object = (members: RequestFields, empty: Json = null): WrittenField => ({ as: 'object', members, empty })
export const collapsed = (members: RequestFields, empty: Json = null): WrittenField => ({
  as: 'collapsed',
  members,
  empty,
})
export const keptIfOmitted = (field: WrittenField): WrittenField => ({ ...field, keeps: 'omitted' })
export const keptIfEmpty = (field: WrittenField): WrittenField => ({ ...field, keeps: 'empty' })
export const newer = (field: WrittenField): WrittenField => ({ ...field, isNewer: true })
export const formerly = (field: WrittenField, name: string, until: string): WrittenField => ({
  ...field,
  formerly: { name, until },
})
export const as = (field: WrittenField, ...to: readonly string[]): WrittenField => ({ ...field, to })
export const nothing = (because: string): UnwrittenField => ({ as: 'nothing', because })
