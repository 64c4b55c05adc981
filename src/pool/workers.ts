import type { PostgresSession } from '../history/postgres/connect.ts'

/** A process that takes part in runs. */
export interface PoolWorker {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly slots: number
}

/** A worker that is silent for longer does not count. */
export const silentS = 15

/** Says that this worker lives, which run it coordinates, and forgets workers of long ago. */
export async function greet(
  session: PostgresSession,
  { id, host, pid, slots }: PoolWorker,
  run?: number,
): Promise<void> {
  await session.run(
    `WITH gone AS (DELETE FROM hookdrift.worker WHERE seen_at < clock_timestamp() - interval '1 hour' AND id <> $1)
     INSERT INTO hookdrift.worker (id, host, pid, slots, run, seen_at) VALUES ($1, $2, $3, $4, $5, clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, run = excluded.run, seen_at = excluded.seen_at`,
    [id, host, pid, slots, run ?? null],
  )
}

export async function leave(session: PostgresSession, { id }: PoolWorker): Promise<void> {
  await session.run('DELETE FROM hookdrift.worker WHERE id = $1', [id])
}

export interface LiveWorker extends PoolWorker {
  /** The run that it coordinates. */
  readonly run: number | null
  /** Names of the projects that it walks. */
  readonly walks: readonly string[]
}

export async function liveWorkers(session: PostgresSession): Promise<readonly LiveWorker[]> {
  return session.all(
    `SELECT w.id, w.host, w.pid, w.slots, w.run, ARRAY(SELECT t.project::json -> 'ref' ->> 'name' FROM hookdrift.task t
       WHERE t.worker = w.id AND t.state = 'running' ORDER BY t.place) AS walks
     FROM hookdrift.worker w WHERE w.seen_at > clock_timestamp() - make_interval(secs => $1) ORDER BY w.host, w.pid, w.id`,
    [silentS],
  )
}
