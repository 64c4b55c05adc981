import type { PostgresSession } from '../../history/postgres/connect.ts'

/** Seconds after which a silent process counts as dead; and how often, in milliseconds, a living one speaks. */
export const heartbeatS = 10
export const touchEveryMs = 3_000

/** A process that takes part in runs. */
export interface PoolWorker {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly slots: number
}

/** SQL: whether the worker `w` lives. One that is silent for longer counts as dead. */
export const isLiveSql = `w.seen_at > clock_timestamp() - interval '${heartbeatS} s'`

/** Says that this worker lives, and forgets workers of long ago. */
export async function greet(session: PostgresSession, { id, host, pid, slots }: PoolWorker): Promise<void> {
  await session.run(
    `WITH gone AS (DELETE FROM hookdrift.worker WHERE seen_at < clock_timestamp() - interval '1 hour' AND id <> $1)
     INSERT INTO hookdrift.worker (id, host, pid, slots, seen_at) VALUES ($1, $2, $3, $4, clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
    [id, host, pid, slots],
  )
}

export async function leave(session: PostgresSession, { id }: PoolWorker): Promise<void> {
  await session.run('DELETE FROM hookdrift.worker WHERE id = $1', [id])
}

interface LiveWorker extends PoolWorker {
  /** The run that it coordinates. */
  readonly run: number | null
  /** Names of the projects that it walks. */
  readonly walks: readonly string[]
}

export async function liveWorkers(session: PostgresSession): Promise<readonly LiveWorker[]> {
  return session.all(
    `SELECT w.id, w.host, w.pid, w.slots, (SELECT p.run FROM hookdrift.run_plan p WHERE p.coordinator = w.id AND p.ended_at IS NULL) AS run,
       ARRAY(SELECT t.project::json -> 'ref' ->> 'name' FROM hookdrift.task t
         WHERE t.worker = w.id AND t.state = 'running' ORDER BY t.place) AS walks
     FROM hookdrift.worker w WHERE ${isLiveSql} ORDER BY w.host, w.pid, w.id`,
  )
}

export interface TaskCount {
  readonly service: string
  readonly state: 'waiting' | 'running' | 'done' | 'lost'
  readonly count: number
}

/** What the workers of a history do. */
export interface PoolState {
  /** Of the run under way. */
  readonly tasks: readonly TaskCount[]
  /** Since when the task that waits longest does; null when none waits. */
  readonly oldestWaitS: number | null
  readonly run: RunUnderWay | undefined
  readonly workers: readonly LiveWorker[]
}

/** After `stopsAt`, no request begins. Times are ISO 8601, UTC. */
type RunUnderWay = Readonly<Record<'startedAt' | 'stopsAt', string>> & { readonly number: number }

export async function readPoolState(session: PostgresSession): Promise<PoolState> {
  const run = await session.get<RunUnderWay>(
    `SELECT r.number, r.started_at AS "startedAt", p.stop_at AS "stopsAt"
     FROM hookdrift.run_plan p JOIN hookdrift.run r ON r.number = p.run
     WHERE p.ended_at IS NULL AND r.state = 'running' ORDER BY r.number DESC LIMIT 1`,
  )
  const workers = await liveWorkers(session)
  if (run === undefined) return { tasks: [], oldestWaitS: null, run, workers }
  const tasks = await session.all<TaskCount>(
    `SELECT service, CASE state WHEN 'planned' THEN 'waiting' ELSE state END AS state, count(*) AS count
     FROM hookdrift.task WHERE run = $1 GROUP BY service, state ORDER BY service, state`,
    [run.number],
  )
  const oldestWaitS = await session.value<number | null>(
    `SELECT extract(epoch FROM clock_timestamp() - min(since))::float8
     FROM hookdrift.task WHERE run = $1 AND state = 'planned'`,
    [run.number],
  )
  return { tasks, oldestWaitS: oldestWaitS ?? null, run, workers }
}

/** The number of the last committed run; null without one. */
export async function lastCommittedRun(session: PostgresSession): Promise<number | null> {
  return (await session.value<number | null>("SELECT max(number) FROM hookdrift.run WHERE state = 'committed'")) ?? null
}

/** What a worker may have differently from what a run began with: then it does not take part. */
export const refusals = ['version', 'configuration', 'policy', 'seal_key'] as const
export type Refusal = (typeof refusals)[number]

export const refusalWords: Readonly<Record<Refusal, string>> = {
  version: 'version of hookdrift',
  configuration: 'configuration',
  policy: 'policy',
  seal_key: 'installation key',
}

/** For so long, workers may have other files than a run was asked with: a changed file reaches all machines by then. */
export const agreeWithinMs = 5 * 60_000
