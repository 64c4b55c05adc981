import type { CoverageStatus } from '../model/coverage.ts'
import type { Kind, Listing, ProjectRef } from '../model/resource.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Filters } from '../service/settings.ts'

/** Whether a listing that not every service has is walked: where offered, always, or never. */
export type Offer = 'auto' | 'required' | 'off'

/** One project to look at, and how. */
export interface AuditedProject {
  readonly ref: ProjectRef
  readonly key: string
  readonly filters: Filters
  readonly client: ServiceClient
  readonly listings: { readonly sources: Offer; readonly project: Offer }
}

/** What the walks of a project proved, by listing; a listing that is off has no entry. */
export type Statuses = Readonly<Partial<Record<Listing, CoverageStatus>>>

/** Whether all there is of a kind was seen. */
export function isKindComplete(statuses: Statuses, kind: Kind): boolean {
  switch (kind) {
    case 'project':
      return statuses.project === 'complete'
    case 'endpoint':
      return statuses.endpoints === 'complete'
    case 'subscription':
    case 'device':
      return statuses.subscriptions === 'complete'
    case 'source':
      return areSourcesListed(statuses) ? statuses.sources === 'complete' : statuses.subscriptions === 'complete'
    case 'probe':
      return false
  }
}

/** False where the service does not list sources: then all that is known of them is what subscriptions carry. */
export function areSourcesListed({ sources }: Statuses): boolean {
  return sources !== undefined && sources !== 'skipped'
}
