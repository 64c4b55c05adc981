import type { Listing } from '../model/resource.ts'
import type { Baselines } from './history.ts'

/** What a backend has to find in a project's walks before this run. */
interface Walks {
  /** The last run whose walk of a listing was complete. */
  lastComplete(listing: Listing): number | undefined
  /** The last run whose walk of the subscriptions was complete and that did not list sources. */
  lastLifted(): number | undefined
}

/** Which run is the last complete look at each kind. */
export function baselinesFrom({ lastComplete, lastLifted }: Walks): Baselines {
  const at = (listing: Listing, run = lastComplete(listing)) => (run === undefined ? undefined : { run, listing })
  const lifted = lastLifted()
  const listed = lastComplete('sources')
  // Where sources are not listed, the subscriptions that carry them are the look at them.
  const source = (lifted ?? 0) > (listed ?? 0) ? at('subscriptions', lifted) : at('sources', listed)
  const subscription = at('subscriptions')
  const baselines = { project: at('project'), endpoint: at('endpoints'), subscription, source, device: subscription }
  return Object.fromEntries(Object.entries(baselines).filter(([, baseline]) => baseline !== undefined))
}
