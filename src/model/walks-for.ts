import type { ReportCoverage } from './report.ts'
import type { Kind, Listing, WalkedListing } from './resource.ts'

type WalkStatus = Pick<ReportCoverage, 'listing' | 'status'>

/** The walks of a project that show every resource of some kinds. */
export function walksFor<Walk extends WalkStatus>(kinds: Iterable<Kind>, walks: readonly Walk[]): readonly Walk[] {
  const areSourcesListed = walks.some(({ listing, status }) => listing === 'sources' && status !== 'skipped')
  const listings = new Set<WalkedListing | undefined>([...kinds].map((kind) => listingOf(kind, areSourcesListed)))
  return walks.filter(({ listing }) => listings.has(listing))
}

/** A listing that no walk of a project read, and why. */
interface ListingGap {
  readonly listing: Listing
  readonly reason: string
}

/**
 * Listings that alone show what a rule evaluates, and that a project's walks left out because the configuration does not
 * request them, or the service does not offer the sources: the rule evaluates nothing. A service's list of projects has
 * none of them.
 */
export function unlistedFor({ id, needs }: RuleNeeds, walks: readonly WalkStatus[]): readonly ListingGap[] {
  if (walks.some(({ listing }) => listing === 'projects')) return []
  const walkOf = (wanted: Listing) => walks.find(({ listing }) => listing === wanted)
  const wanted = needs.flatMap((kind): Listing[] => {
    return kind === 'project' ? ['project'] : kind === 'event_type' ? ['event_types'] : []
  })
  const unlisted = wanted
    .filter((listing) => walkOf(listing) === undefined)
    .map((listing) => ({ listing, reason: notRequested }))
  if (!ofListedSources.has(id)) return unlisted
  const sources = walkOf('sources')
  if (sources !== undefined && sources.status !== 'skipped') return unlisted
  return [...unlisted, { listing: 'sources', reason: sources === undefined ? notRequested : notOffered }]
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
    case 'policy':
      return undefined
  }
}

interface RuleNeeds {
  readonly id: string
  readonly needs: readonly Kind[]
}

/** Rules about fields of sources that the copies in subscriptions do not show. */
const ofListedSources: ReadonlySet<string> = new Set([
  'source/dead-letter-missing',
  'source/event-type-unsigned',
  'source/idempotency-missing',
  'source/provider-mismatch',
  'source/queue-plaintext',
  'source/queue-static-keys',
])

const notRequested = 'the configuration does not request it'
const notOffered = 'the service does not offer it'
