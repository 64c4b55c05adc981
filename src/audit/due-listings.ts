import type { CoverageCause, FilterCoverage, ProjectCoverage } from '../model/coverage.ts'
import { type Listing, listings } from '../model/resource.ts'
import type { AuditedProject } from './audited-project.ts'

/** What the configuration asks to walk of a project, in the order of walking. */
export function dueListings(project: Pick<AuditedProject, 'listings'>): readonly Listing[] {
  return listings.filter((listing) => !(isOptional(listing) && project.listings[listing] === 'off'))
}

/** The coverage of filter rows of which nothing is kept; undefined where none were to be read. */
export function unreadFilters(
  { listings }: Pick<AuditedProject, 'listings'>,
  cause: CoverageCause,
  reason: string,
): FilterCoverage | undefined {
  if (listings.filters === 'off') return undefined
  return { ...unreadListing('subscriptions', cause, reason), listing: 'filters', of: 0, oldest_at: null }
}

/** The coverage of a listing that failed before anything was asked, or of which nothing is kept. */
export function unreadListing(listing: Listing, cause: CoverageCause, reason: string): ProjectCoverage {
  return {
    listing,
    status: 'failed',
    cause,
    reason,
    filter: null,
    pages: 0,
    items: 0,
    requests: 0,
    retries: 0,
    duration_ms: 0,
  }
}

/** What not every service offers. */
export function isOptional(listing: Listing): listing is 'project' | 'sources' | 'event_types' {
  return listing === 'project' || listing === 'sources' || listing === 'event_types'
}
