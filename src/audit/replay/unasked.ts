import { ReleaseSigns } from '../../gateway/release-signs.ts'
import type { ServiceClient } from '../../gateway/service/service-client.ts'
import type { Filters } from '../../gateway/service/settings.ts'
import type { Coverage, ProjectCoverage } from '../../model/coverage.ts'
import { isListing, type Listing, type ProjectRef, type Resource } from '../../model/resource.ts'
import type { AuditedProject } from '../audited-project.ts'
import type { SeenProject } from '../read-project.ts'

const refuse = () => {
  throw new Error('no service is asked for what the history knows')
}

const client: ServiceClient = {
  pages: refuse,
  eventTypes: refuse,
  project: refuse,
  filters: refuse,
  projects: refuse,
  testFunction: refuse,
  deliveries: refuse,
  events: refuse,
  missingFeatures: refuse,
  close: async () => {},
}

/** Of a project that no service is asked for. */
export const unasked = {
  client,
  key: '',
  configuredAt: null,
  listings: { sources: 'off', project: 'off', event_types: 'off', filters: 'off' },
  filtersPerRun: 0,
} as const satisfies Partial<AuditedProject>

/** What walks showed, as far as the history knows. */
interface Shown {
  readonly walks: readonly ListingCoverage[]
  readonly filters: Filters
  readonly seen: readonly { readonly listing: Listing; readonly resource: Resource }[]
  /** Those that are as their current version. */
  readonly read: ReadonlySet<Resource>
}

type ListingCoverage = Coverage & ProjectCoverage & { readonly listing: Listing }

/** A scan that showed it. */
export function seenAs(project: ProjectRef, { walks, filters, seen, read }: Shown): SeenProject {
  const ofListing = Map.groupBy(seen, ({ listing }) => listing)
  return {
    proof: { walks: walks.map((walk) => ({ coverage: walk, lacksPromisedPage: false })), unproven: new Set() },
    listings: walks.map(({ listing }) => {
      const listed = ofListing.get(listing)?.map(({ resource }) => resource) ?? []
      return { listing, listed, lifted: [], identities: [], read }
    }),
    rows: undefined,
    shapes: new Map(),
    release: new ReleaseSigns(),
    settings: undefined,
    targets: [],
    access: { projectUid: project.uid, key: '', filters, signal: never, traffic: noTraffic, budget: { waitedMs: 0 } },
  }
}

const never = new AbortController().signal
const noTraffic = { requests: 0, retries: 0 }

export function isOfListing(walk: Coverage): walk is ListingCoverage {
  return isListing(walk.listing)
}
