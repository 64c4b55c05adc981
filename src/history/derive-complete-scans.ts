import type { Listing } from '../model/resource.ts'
import type { CompleteScan, CompleteScans } from './records.ts'

type Walk = Omit<CompleteScan, 'listing' | 'normaliser'>

/** What a backend finds in a project's walks before this run. */
interface Walks {
  /** The last complete walk of a listing. */
  lastComplete(listing: Listing): Walk | undefined
  /** The last complete walk of the subscriptions in a run that did not list sources. One by `after` does not count. */
  lastLifted(after: number): Walk | undefined
  /** The normal form of a run. */
  normaliserOf(run: number): number | undefined
}

/** The last complete scan of each kind. */
export function deriveCompleteScans({ lastComplete, lastLifted, normaliserOf }: Walks): CompleteScans {
  const at = (listing: Listing, walk = lastComplete(listing)): CompleteScan | undefined =>
    walk === undefined ? undefined : { ...walk, listing, normaliser: normaliserOf(walk.run) }
  const listed = lastComplete('sources')
  const lifted = lastLifted(listed?.run ?? 0)
  // Where sources are not listed, they come embedded in subscriptions.
  const source = (lifted?.run ?? 0) > (listed?.run ?? 0) ? at('subscriptions', lifted) : at('sources', listed)
  const subscription = at('subscriptions')
  const eventTypes = at('event_types')
  const scans = {
    ...{ project: at('project'), endpoint: at('endpoints'), subscription, source },
    ...{ event_type: eventTypes, device: subscription },
  }
  return Object.fromEntries(Object.entries(scans).filter(([, scan]) => scan !== undefined))
}
