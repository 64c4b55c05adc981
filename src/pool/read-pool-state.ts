import type { PostgresSession } from '../history/postgres/connect.ts'
import { type LiveWorker, liveWorkers } from './workers.ts'

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

export interface RunUnderWay {
  readonly number: number
  readonly startedAt: string
  /** After this, no request begins: ISO 8601, UTC. */
  readonly stopsAt: string
}

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
    `SELECT extract(epoch FROM clock_timestamp() - min(planned_at))::float8
     FROM hookdrift.task WHERE run = $1 AND state = 'planned'`,
    [run.number],
  )
  return { tasks, oldestWaitS: oldestWaitS ?? null, run, workers }
}

/** The number of the last committed run; null without one. */
export async function lastCommittedRun(session: PostgresSession): Promise<number | null> {
  return (await session.value<number | null>("SELECT max(number) FROM hookdrift.run WHERE state = 'committed'")) ?? null
}
