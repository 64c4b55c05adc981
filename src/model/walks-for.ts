import type { ReportCoverage } from './report.ts'
import type { Kind, Listing, WalkedListing } from './resource.ts'

type WalkStatus = Pick<ReportCoverage, 'listing' | 'status'>

/** The walks of a project that show every resource of some kinds. */
export function walksFor<Walk extends WalkStatus>(kinds: Iterable<Kind>, walks: readonly Walk[]): readonly Walk[] {
  const areSourcesListed = walks.some(({ listing, status }) => listing === 'sources' && status !== 'skipped')
  const listings = new Set<WalkedListing | undefined>([...kinds].map((kind) => listingOf(kind, areSourcesListed)))
  return walks.filter(({ listing }) => listings.has(listing))
}

/** The listing that shows every resource of a kind: subscriptions carry the sources that the service does not list. */
export function listingOf(kind: Kind, areSourcesListed: boolean): Listing | undefined {
  switch (kind) {
    case 'project':
      return 'project'
    case 'endpoint':
      return 'endpoints'
    case 'subscription':
    case 'device':
      return 'subscriptions'
    case 'source':
      return areSourcesListed ? 'sources' : 'subscriptions'
    case 'event_type':
      return 'event_types'
    case 'probe':
    case 'service':
    case 'policy':
      return undefined
  }
}
