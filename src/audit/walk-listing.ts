import type { Clock } from '../model/clock.ts'
import type { Coverage, CoverageStatus } from '../model/coverage.ts'
import type { JsonObject } from '../model/json.ts'
import type { Listing } from '../model/resource.ts'
import type { Look } from '../service/service-client.ts'
import { type FaultKind, ServiceFault } from '../service/service-fault.ts'
import { filterText } from './filtered.ts'
import type { AuditedProject } from './look.ts'

export interface Walk {
  readonly coverage: Coverage
  /** Why it broke off, when it did. */
  readonly fault: FaultKind | undefined
}

/**
 * Walks one listing to its end, handing on the items of each page as it comes, and says what that proved. A fault of
 * the service ends the walk, not the run; what came before it still counts for what it shows.
 */
export async function walkListing(
  listing: Listing,
  project: AuditedProject,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
  take: (items: readonly JsonObject[], durationMs: number) => Promise<void>,
  budget: { waitedMs: number },
): Promise<Walk> {
  const startedAt = clock.now()
  const traffic = { requests: 0, retries: 0, waitedMs: budget.waitedMs }
  const look: Look = { projectUid: project.ref.uid, key: project.key, filters: project.filters, signal, traffic }
  let pages = 0
  let items = 0
  const result = (status: CoverageStatus, reason: string | null, fault?: FaultKind): Walk => {
    budget.waitedMs = traffic.waitedMs
    const { requests, retries } = traffic
    const durationMs = Math.round(clock.now() - startedAt)
    const filter = filterText(listing, project.filters)
    return { coverage: { listing, status, reason, filter, pages, items, requests, retries, durationMs }, fault }
  }
  try {
    let askedAt = startedAt
    for await (const page of pagesOf(listing, project, look)) {
      await take(page, clock.now() - askedAt)
      pages += 1
      items += page.length
      askedAt = clock.now()
    }
    return result('complete', null)
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    // What had a first page is offered.
    if (error.kind === 'not-offered' && pages === 0 && isOptional(listing, project))
      return result('skipped', error.message, error.kind)
    // Who was stopped has not failed, even before the first page.
    const isPartial = error.kind === 'stopped' || (pages > 0 && error.kind !== 'foreign')
    return result(isPartial ? 'partial' : 'failed', error.message, error.kind)
  }
}

async function* pagesOf(
  listing: Listing,
  { client }: AuditedProject,
  look: Look,
): AsyncGenerator<readonly JsonObject[]> {
  if (listing === 'project') yield [await client.project(look)]
  else for await (const page of client.pages(listing, look)) yield page.items
}

function isOptional(listing: Listing, { listings }: AuditedProject): boolean {
  return (listing === 'sources' || listing === 'project') && listings[listing] === 'auto'
}
