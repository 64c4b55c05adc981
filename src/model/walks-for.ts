import type { ReportCoverage } from './report.ts'
import type { Kind, Listing, WalkedListing } from './resource.ts'

type WalkStatus = Pick<ReportCoverage, 'listing' | 'status'>

/** The walks of a project that show every resource of some kinds. */
export function walksFor<Walk extends WalkStatus>(kinds: Iterable<Kind>, walks: readonly Walk[]): readonly Walk[] {
  const listings = new Set<WalkedListing | undefined>([...kinds].map((kind) => listingOf(kind, walks)))
  return walks.filter(({ listing }) => listings.has(listing))
}

/**
 * Listings that show one of some kinds alone, and that no walk of a project read because the configuration does not
 * request them: rules about it evaluate nothing. A service's list of projects has none of them.
 */
export function notRequestedFor(kinds: Iterable<Kind>, walks: readonly WalkStatus[]): readonly Listing[] {
  if (walks.some(({ listing }) => listing === 'projects')) return []
  const wanted = [...kinds].flatMap((kind): Listing[] => {
    return kind === 'project' ? ['project'] : kind === 'event_type' ? ['event_types'] : []
  })
  return wanted.filter((wantedListing) => walks.every(({ listing }) => listing !== wantedListing))
}

/** The listing that shows every resource of a kind: subscriptions carry the sources that the service does not list. */
function listingOf(kind: Kind, walks: readonly WalkStatus[]): Listing | undefined {
  switch (kind) {
    case 'project':
      return 'project'
    case 'endpoint':
      return 'endpoints'
    case 'subscription':
    case 'device':
      return 'subscriptions'
    case 'source':
      return walks.some(({ listing, status }) => listing === 'sources' && status !== 'skipped')
        ? 'sources'
        : 'subscriptions'
    case 'event_type':
      return 'event_types'
    case 'probe':
    case 'policy':
      return undefined
  }
}
