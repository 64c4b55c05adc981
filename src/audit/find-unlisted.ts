import type { Coverage } from '../model/coverage.ts'
import type { ListedProject, RetryBudget } from '../service/service-client.ts'
import { ServiceFault } from '../service/service-fault.ts'
import type { AuditedService } from './audited-service.ts'
import { type ListReader, readProjectList } from './read-project-list.ts'

/** A project that refuses the key may do so for itself; this many decide about the key. */
const mostTried = 3

export interface UnlistedProjects {
  readonly projects: readonly ListedProject[]
  /** Of the list, which is complete. */
  readonly coverage: Coverage
}

/**
 * Finds projects that a service lists, that its key reads, and that the configuration does not name. undefined: that
 * cannot be said. The key may have no right to the list, so each request is sent once and a fault is not a gap in
 * coverage.
 */
export async function findUnlisted(
  service: AuditedService,
  reading: ListReader,
): Promise<UnlistedProjects | undefined> {
  const { named, organisation } = service
  if (organisation === undefined && named.every(({ listings }) => listings.project === 'off')) return undefined
  // A budget that is spent allows no further try.
  const budget = { waitedMs: Number.POSITIVE_INFINITY }
  const { listed, coverage } = await readProjectList(service, reading, budget)
  const known = new Set(named.map(({ ref }) => ref.uid))
  if (coverage.status !== 'complete' || !listed.some(({ uid }) => known.has(uid))) return undefined
  const projects = listed.filter(({ uid }) => !known.has(uid))
  if (projects.length > 0 && !(await readsOthers(service, projects, reading.signal, budget))) return undefined
  return { projects, coverage }
}

/** A project's key lists all projects of its organisation, and reads its own alone. */
async function readsOthers(
  { client, key }: AuditedService,
  unlisted: readonly ListedProject[],
  signal: AbortSignal,
  budget: RetryBudget,
): Promise<boolean> {
  for (const { uid } of unlisted.slice(0, mostTried)) {
    try {
      const traffic = { requests: 0, retries: 0 }
      await client.project({ projectUid: uid, key, filters: {}, signal, traffic, budget })
      return true
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error
      if (error.kind === 'foreign') return false
    }
  }
  return false
}
