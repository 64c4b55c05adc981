import type { View } from '../history/records.ts'
import type { Kind } from '../model/resource.ts'
import { listingOf } from '../model/walks-for.ts'

/** One of two sets of resources, as far as one resource is concerned. */
export interface SetSide {
  /** undefined where the set does not have it. `isUnreferenced`: no listing shows it, it may be gone. */
  readonly state: (object & { readonly isUnreferenced?: boolean }) | undefined
  /** What was listed completely of the kind; undefined where nothing was. */
  readonly view: View | undefined
  /** Whether the set is a later state of the other one: what that had is gone only where a scan proved it. */
  readonly isLater?: boolean
}

/** In which of two sets a resource is. What one side has and the other did not prove to lack is unknown. */
export function presenceIn(kind: Kind, a: SetSide, b: SetSide): 'both' | 'only_in_a' | 'only_in_b' | 'unknown' {
  if (a.state?.isUnreferenced === true || b.state?.isUnreferenced === true) return 'unknown'
  if (a.state !== undefined && b.state !== undefined) return 'both'
  const [lacking, having] = a.state === undefined ? [a, b] : [b, a]
  const isProven = lacking.isLater === true || provesAbsence(kind, lacking.view, having.view)
  if (!isProven) return 'unknown'
  return lacking === b ? 'only_in_a' : 'only_in_b'
}

/**
 * Whether a resource that only `other` shows is known to be missing in a view: it listed the kind completely and
 * unfiltered, or at least as `other` did.
 */
export function provesAbsence(kind: Kind, view: View | undefined, other: View | undefined): boolean {
  if (view === undefined) return false
  if (view.filter === null && view.listing === listingOf(kind, true)) return true
  return view.filter === other?.filter && view.listing === other.listing
}
