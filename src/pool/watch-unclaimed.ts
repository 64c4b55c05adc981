import type { PostgresSession } from '../history/postgres/connect.ts'
import type { Clock } from '../model/time.ts'
import { liveWorkers } from './workers.ts'

/** How often workers are watched, and how long a service must wait while they are idle. */
const everyMs = 2_000
export const unclaimedAfterMs = 120_000

/**
 * Finds services of a run that no worker takes: none of their projects was begun while every worker had a free slot for
 * so long. Workers that lack the service under `worker.services`, or the files of the run, leave it.
 */
export function watchUnclaimed(
  session: PostgresSession,
  run: number,
  { clock, afterMs = unclaimedAfterMs }: { readonly clock: Clock; readonly afterMs?: number | undefined },
): () => Promise<readonly string[]> {
  const since = new Map<string, number>()
  let askedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const now = clock.now()
    if (now - askedAt < Math.min(everyMs, afterMs)) return []
    askedAt = now
    const waiting = new Set(await untouchedServices(session, run))
    const workers = waiting.size === 0 ? [] : await liveWorkers(session)
    const areIdle = workers.every(({ slots, walks }) => walks.length < slots)
    for (const service of since.keys()) if (!areIdle || !waiting.has(service)) since.delete(service)
    if (!areIdle) return []
    for (const service of waiting) if (!since.has(service)) since.set(service, now)
    return [...since].flatMap(([service, from]) => (now - from >= afterMs ? [service] : []))
  }
}

/** Services of which no project was begun. */
async function untouchedServices(session: PostgresSession, run: number): Promise<readonly string[]> {
  const rows = await session.all<{ service: string }>(
    `SELECT service FROM hookdrift.task WHERE run = $1 GROUP BY service
     HAVING bool_and(state = 'planned' AND token = 0) ORDER BY service`,
    [run],
  )
  return rows.map(({ service }) => service)
}
