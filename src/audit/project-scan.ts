import type { Sealer } from '../gateway/inventory/sealer.ts'
import type { FilterReadings } from '../gateway/inventory/take-inventory.ts'
import type { RawPage } from '../gateway/service/service-client.ts'
import type { Filters } from '../gateway/service/settings.ts'
import type { NamedVersion } from '../history/history.ts'
import type { CompleteScans } from '../history/records.ts'
import type { CoverageStatus } from '../model/coverage.ts'
import type { Kind, Listing, ProjectRef, Resource } from '../model/resource.ts'
import { listingOf } from '../model/walks-for.ts'
import type { ChangeWindow } from '../policy/change-window.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import { filterText } from './listing-filters.ts'
import type { ProjectBefore } from './project-before.ts'

/** One scan of a project: what each of its steps may know besides what it shows. */
export interface ProjectScan {
  readonly project: ProjectRef
  readonly run: number
  readonly sealer: Sealer
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  readonly filters: Filters
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  /** When changes of the project are expected. */
  readonly windows: readonly ChangeWindow[]
  readonly before: ProjectBefore
  /** The last complete walk of each kind, before this run. */
  readonly lastComplete: CompleteScans
  /** A resource as an earlier run left it; undefined where it had none. */
  at(resource: Pick<Resource, 'kind' | 'uid'>, run: number): NamedVersion | undefined
}

/** A page of a listing: items that are a proof of what they show. */
export interface Page extends Pick<RawPage, 'number' | 'items' | 'identities'> {
  /** Of subscriptions whose filter rows were due. */
  readonly filters?: FilterReadings
}

/**
 * What the walks of a project proved, by listing; a listing that is off has no entry. `probes` are complete when they
 * were due; which of them could not run is said one by one.
 */
export type Statuses = Readonly<Partial<Record<Listing | 'probes', CoverageStatus>>>

/** The kind that each listing lists. */
export const kindOf = {
  project: 'project',
  endpoints: 'endpoint',
  sources: 'source',
  event_types: 'event_type',
  subscriptions: 'subscription',
} as const satisfies Record<Listing, Kind>

/** Whether a kind was walked to its end, as far as it was asked for. */
export function isKindComplete(statuses: Statuses, kind: Kind): boolean {
  const walked = kind === 'probe' ? 'probes' : listingOf(kind, areSourcesListed(statuses))
  return walked !== undefined && statuses[walked] === 'complete'
}

/** Whether all there is of a kind was seen, without a filter: then what is missing does not exist. */
export function isKindWhole(statuses: Statuses, filters: Filters, kind: Kind): boolean {
  return isWholeUnder(statuses, (listing) => filterText(listing, filters), kind)
}

/** The same, where what a listing was narrowed to is known as text alone; null when it was not. */
export function isWholeUnder(statuses: Statuses, filterOf: (listing: Listing) => string | null, kind: Kind): boolean {
  const listing = listingOf(kind, areSourcesListed(statuses))
  return isKindComplete(statuses, kind) && (listing === undefined || filterOf(listing) === null)
}

/** False where the service does not list sources: then all that is known of them is what subscriptions carry. */
export function areSourcesListed({ sources }: Statuses): boolean {
  return sources !== undefined && sources !== 'skipped'
}
