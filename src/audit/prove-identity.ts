import type { Clock } from '../model/clock.ts'
import type { Coverage } from '../model/coverage.ts'
import { type Listing, listings as walkOrder } from '../model/resource.ts'
import { ServiceFault } from '../service/service-fault.ts'
import type { AuditedProject } from './look.ts'
import type { Walk } from './walk-listing.ts'

/**
 * Some services ignore the project in the path and answer with the project that the key belongs to. An item says
 * whose it is; an empty list does not. So where a list came back empty and nothing else told, the project itself is
 * asked, and a list that cannot be told apart from a stranger's is no proof.
 *
 * One foreign answer spoils every walk of the project.
 */
export async function proveIdentity(
  project: AuditedProject,
  walks: readonly Walk[],
  tools: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<readonly Walk[]> {
  const foreign = walks.find(({ fault }) => fault === 'foreign')
  if (foreign !== undefined) return spoil(project, walks, foreign.coverage.reason ?? '')
  const isProven = walks.some(({ coverage }) => coverage.items > 0)
  const isEmpty = walks.some(({ coverage }) => coverage.status === 'complete' && coverage.items === 0)
  if (isProven || !isEmpty) return walks
  const asked = walks.find(({ coverage }) => coverage.listing === 'project')
  if (asked?.coverage.status === 'skipped') return walks
  const doubt = asked === undefined ? await ask(project, tools.signal) : asked.coverage.reason
  if (doubt === null) return walks
  if (doubt instanceof ServiceFault && doubt.kind === 'foreign') return spoil(project, walks, doubt.message)
  const reason = `empty, and the key could not be shown to belong to the project: ${doubt instanceof ServiceFault ? doubt.message : doubt}`
  return walks.map((walk) =>
    walk.coverage.status === 'complete' && walk.coverage.items === 0
      ? { ...walk, coverage: { ...walk.coverage, status: 'failed', reason } }
      : walk,
  )
}

/** null: it is the project, or the service does not offer to say. */
async function ask({ client, ref, key, filters }: AuditedProject, signal: AbortSignal): Promise<ServiceFault | null> {
  try {
    const traffic = { requests: 0, retries: 0, waitedMs: 0 }
    await client.project({ projectUid: ref.uid, key, filters, signal, traffic })
    return null
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    return error.kind === 'not-offered' ? null : error
  }
}

function spoil({ listings }: AuditedProject, walks: readonly Walk[], reason: string): Walk[] {
  const due = walkOrder.filter((listing) => !(isOptional(listing) && listings[listing] === 'off'))
  return due.map((listing): Walk => {
    const coverage = walks.find(({ coverage }) => coverage.listing === listing)?.coverage ?? unwalked(listing)
    return { coverage: { ...coverage, status: 'failed', reason: coverage.reason ?? reason }, fault: 'foreign' }
  })
}

function isOptional(listing: Listing): listing is 'project' | 'sources' {
  return listing === 'project' || listing === 'sources'
}

function unwalked(listing: Listing): Coverage {
  return {
    listing,
    status: 'failed',
    reason: null,
    filter: null,
    pages: 0,
    items: 0,
    requests: 0,
    retries: 0,
    durationMs: 0,
  }
}
