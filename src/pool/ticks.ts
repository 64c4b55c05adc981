import type { PostgresDatabase } from '../history/postgres/connect.ts'
import { briefTransaction } from './brief-transaction.ts'
import type { Jobs } from './jobs.ts'
import { type RunRequest, requestRun } from './runs.ts'

/** `taken`: this worker asked for the run. `elsewhere`: another one had. `running`: the run before is not over. */
export type TickOutcome = 'taken' | 'elsewhere' | 'running'

/**
 * Asks for the run of a tick, once among all workers: the first to insert the tick sends the job, in one transaction.
 * `dueAt` in milliseconds, by the schedule's pattern, so that all workers name the tick alike.
 */
export async function takeTick(
  { db, jobs }: { readonly db: PostgresDatabase; readonly jobs: Jobs },
  tick: { readonly schedule: string; readonly dueAt: number; readonly worker: string; readonly id: string },
  request: RunRequest,
): Promise<TickOutcome> {
  return briefTransaction(db, async (transaction) => {
    const isFirst = await transaction.run(
      `INSERT INTO hookdrift.tick (schedule, due_at, taken_by, taken_at) VALUES ($1, $2, $3, clock_timestamp())
       ON CONFLICT DO NOTHING`,
      [tick.schedule, new Date(tick.dueAt).toISOString(), tick.worker],
    )
    if (isFirst === 0) return 'elsewhere'
    await transaction.run("DELETE FROM hookdrift.tick WHERE taken_at < clock_timestamp() - interval '30 days'")
    return (await requestRun({ db, jobs }, request, tick.id, transaction)) ? 'taken' : 'running'
  })
}
