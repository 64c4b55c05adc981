import type { Json } from './json.ts'
import type { Kind } from './resource.ts'

export const changeTypes = ['added', 'removed', 'modified'] as const
export type ChangeType = (typeof changeTypes)[number]

/** One attribute that differs. Never `undefined`: a member that one side did not show is not a field change. */
export interface FieldChange {
  /** JSON Pointer (RFC 6901) into the resource's attributes. */
  readonly path: string
  /** null when the attribute was empty or absent. */
  readonly before: Json
  readonly after: Json
}

/** Within which time a change came about, and the runs at its ends: ISO 8601 in UTC. */
export interface ChangeTimes extends TimeSpan {
  /** The run of that complete scan; null where the time is not that of a run, or the run is not in the history. */
  readonly after_run: number | null
  /** The run of that first scan. */
  readonly before_run: number
}

export interface TimeSpan {
  /** Start of the last complete scan that saw the resource as before; null where that is not recorded, or the clock went back. */
  readonly after: string | null
  /** End of the first scan that saw it changed. */
  readonly before: string
}

/** Drift of one resource against the last complete walk of its listing. */
export interface Change {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly change: ChangeType
  /** Sorted by path; empty for `added` and `removed`. */
  readonly fields: readonly FieldChange[]
}
