import type { ListedProject, Traffic } from '../service/service-client.ts'
import { ServiceFault } from '../service/service-fault.ts'
import type { AuditedService } from './audited-service.ts'
import { listProjectsOf } from './read-project-list.ts'

/** A project that refuses the key may do so for itself; this many decide about the key. */
const mostTried = 3

/**
 * Finds projects that a service lists, that its key reads, and that the configuration does not name. undefined: it
 * cannot be said. The key may have no right to the list, so each request is sent once and a fault is no gap in coverage.
 */
export async function findUnlisted(
  service: AuditedService,
  signal: AbortSignal,
): Promise<readonly ListedProject[] | undefined> {
  const { named, organisation } = service
  if (organisation === undefined && named.every(({ listings }) => listings.project === 'off')) return undefined
  // A budget that is spent allows no further try.
  const traffic = { requests: 0, retries: 0, waitedMs: Number.POSITIVE_INFINITY }
  const known = new Set(named.map(({ ref }) => ref.uid))
  try {
    const listed = await listProjectsOf(service, traffic, signal)
    if (!listed.some(({ uid }) => known.has(uid))) return undefined
    const unlisted = listed.filter(({ uid }) => !known.has(uid))
    return unlisted.length === 0 || (await readsOthers(service, unlisted, { traffic, signal })) ? unlisted : undefined
  } catch (error) {
    if (error instanceof ServiceFault) return undefined
    throw error
  }
}

/** A project's key lists all projects of its organisation, and reads its own alone. */
async function readsOthers(
  { client, key }: AuditedService,
  unlisted: readonly ListedProject[],
  { traffic, signal }: { readonly traffic: Traffic; readonly signal: AbortSignal },
): Promise<boolean> {
  for (const { uid } of unlisted.slice(0, mostTried)) {
    try {
      await client.project({ projectUid: uid, key, filters: {}, signal, traffic })
      return true
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error
      if (error.kind === 'foreign') return false
    }
  }
  return false
}
