import type { CompleteScan } from '../history/records.ts'
import type { Kind, Listing } from '../model/resource.ts'

/**
 * Whether a resource that only `other` shows is known to be missing in a view: it listed the kind completely and
 * unfiltered, or at least as `other` did.
 */
export function provesAbsence(kind: Kind, view: CompleteScan | undefined, other: CompleteScan | undefined): boolean {
  if (view === undefined) return false
  if (view.filter === null && view.listing === listingOf[kind]) return true
  return view.filter === other?.filter && view.listing === other.listing
}

/** The listing that shows all resources of a kind, and not only those that a subscription refers to. */
export const listingOf: Readonly<Partial<Record<Kind, Listing>>> = {
  project: 'project',
  endpoint: 'endpoints',
  subscription: 'subscriptions',
  source: 'sources',
  event_type: 'event_types',
  device: 'subscriptions',
}
