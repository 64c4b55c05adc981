import { deflateSync, inflateSync } from 'node:zlib'
import type { AuditedProject } from '../../audit/audited-project.ts'
import type { ProjectOutcome } from '../../audit/project-outcome.ts'
import type { ExportedProject } from '../../history/draft/drafted-project.ts'
import type { PostgresDatabase, PostgresSession, PostgresTransaction } from '../../history/postgres/connect.ts'
import { Stop } from '../../model/stop.ts'
import { isLiveSql } from './workers.ts'

/** A project of a run, as any worker can open it: without its key, which each reads from its own configuration. */
export type PlannedProject = Required<Pick<AuditedProject, 'ref' | 'labels' | 'configuredAt' | 'isMissing' | 'lacks'>>

/** All that a job carries: the task is all else. */
export interface TaskKey {
  readonly run: number
  readonly projectId: number
  readonly service: string
}

/** Writes the tasks of a run, in the order of its projects. */
export async function insertTasks(
  session: PostgresSession,
  keys: readonly TaskKey[],
  projects: readonly AuditedProject[],
): Promise<void> {
  const planned = projects.map(({ ref, labels, configuredAt, isMissing = false, lacks = [] }): PlannedProject => {
    return { ref, labels, configuredAt, isMissing, lacks }
  })
  await session.run(
    `INSERT INTO hookdrift.task (run, project_id, service, place, project, state, since)
     SELECT t.run, t.id, t.service, t.place, t.project, 'planned', clock_timestamp()
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS t (run, id, service, project, place)`,
    [
      keys.map(({ run }) => run),
      keys.map(({ projectId }) => projectId),
      keys.map(({ service }) => service),
      planned.map((project) => JSON.stringify(project)),
    ],
  )
}

/** The projects of a run, in their order. */
export async function readProjects(session: PostgresSession, run: number): Promise<readonly PlannedProject[]> {
  const texts = await session.column<string>('SELECT project FROM hookdrift.task WHERE run = $1 ORDER BY place', [run])
  return texts.map((text) => JSON.parse(text))
}

interface TakenTask {
  /** With which its result is left. */
  readonly token: number
  readonly project: PlannedProject
}

/** Takes a task, also from another worker; undefined where it is done or given up, or its run has ended. */
export async function takeTask(
  session: PostgresSession,
  { run, projectId }: TaskKey,
  worker: string,
): Promise<TakenTask | undefined> {
  const row = await session.get<{ readonly token: number; readonly project: string }>(
    `UPDATE hookdrift.task SET token = token + 1, state = 'running', worker = $3, since = clock_timestamp()
     WHERE run = $1 AND project_id = $2 AND state IN ('planned', 'running') RETURNING token, project`,
    [run, projectId, worker],
  )
  return row && { token: row.token, project: JSON.parse(row.project) }
}

/** What the walk of a project came to. */
export interface TaskResult {
  readonly outcome: ProjectOutcome
  readonly draft: ExportedProject
}

/**
 * Leaves it, compressed; without a result, puts the task back, because a stopped worker leaves nothing half. False when
 * another worker has the task: nothing was written.
 */
export async function leaveTask(
  session: PostgresSession,
  { run, projectId }: TaskKey,
  token: number,
  result: TaskResult | undefined,
): Promise<boolean> {
  const text = result && deflateSync(JSON.stringify(result), { level: 1 }).toString('base64')
  const written = await session.run(
    `UPDATE hookdrift.task SET state = $4, result = decode($5, 'base64'), worker = NULL, since = clock_timestamp()
     WHERE run = $1 AND project_id = $2 AND token = $3 AND state = 'running'`,
    [run, projectId, token, result === undefined ? 'planned' : 'done', text ?? null],
  )
  return written === 1
}

/** Which tasks are given up; default: all that are not done. */
interface GivenUp {
  readonly states?: readonly ('planned' | 'running')[]
  readonly service?: string
  readonly projectId?: number
}

/** Gives tasks up: their workers leave nothing. Each keeps the reason, also for another process. */
export async function giveUpTasks(
  session: PostgresSession,
  run: number,
  reason: Error,
  { states = ['planned', 'running'], service, projectId }: GivenUp = {},
): Promise<void> {
  const written = { code: reason instanceof Stop ? reason.code : null, message: reason.message }
  await session.run(
    `UPDATE hookdrift.task SET token = token + 1, state = 'lost', reason = $2 WHERE run = $1 AND state = ANY($3)
       AND service = coalesce($4::text, service) AND project_id = coalesce($5::bigint, project_id)`,
    [run, JSON.stringify(written), states, service ?? null, projectId ?? null],
  )
}

/** What a task came to, by its place in the order of projects: its result, or why it was given up. */
export async function readEnded(session: PostgresSession, run: number, place: number): Promise<TaskResult | Error> {
  const row = await session.get<{ readonly result: string | null; readonly reason: string }>(
    `SELECT encode(result, 'base64') AS result, reason FROM hookdrift.task
     WHERE run = $1 AND place = $2 AND state IN ('done', 'lost')`,
    [run, place],
  )
  if (row === undefined) throw new Error(`task ${place} of run ${run} has not ended`)
  // A worker of the same version wrote it.
  if (row.result !== null) return JSON.parse(inflateSync(Buffer.from(row.result, 'base64')).toString())
  const { code, message } = JSON.parse(row.reason)
  return code === null ? new Error(message) : new Stop(code, message)
}

const taskStates = ['planned', 'running', 'lost', 'done'] as const

export interface TaskProgress extends Readonly<Record<(typeof taskStates)[number], number>> {
  /** Until the run's time is over. */
  readonly leftMs: number
  readonly stoppedBy: 'sigint' | 'sigterm' | null
  /** The id of the worker that coordinates the run. */
  readonly coordinator: string | null
}

/** How far a run is; undefined when it is no longer this pool's. */
export async function readProgress(session: PostgresSession, run: number): Promise<TaskProgress | undefined> {
  const counts = taskStates.map((state) => `count(t.run) FILTER (WHERE t.state = '${state}') AS "${state}"`)
  return session.get<TaskProgress>(
    `SELECT ${leftSql} AS "leftMs", p.stopped_by AS "stoppedBy", p.coordinator, ${counts.join(', ')}
     FROM hookdrift.run_plan p LEFT JOIN hookdrift.task t ON t.run = p.run WHERE p.run = $1 GROUP BY p.id`,
    [run],
  )
}

/** SQL of the milliseconds until the time of the run `p` is over. */
export const leftSql = '(extract(epoch FROM p.stop_at - clock_timestamp()) * 1000)::float8'

/**
 * Services of a run of which no worker took a project, where for so long none was taken or done, and each worker has a
 * free slot. Workers that lack a service under `worker.services`, or the files of the run, leave it.
 */
export function unclaimedServices(session: PostgresSession, run: number, afterMs: number): Promise<readonly string[]> {
  return session.column(
    `SELECT service FROM hookdrift.task WHERE run = $1 GROUP BY service
     HAVING bool_and(state = 'planned' AND token = 0)
       AND NOT EXISTS (SELECT 1 FROM hookdrift.task o
         WHERE o.run = $1 AND o.since > clock_timestamp() - make_interval(secs => $2::float8 / 1000))
       AND NOT EXISTS (SELECT 1 FROM hookdrift.worker w WHERE ${isLiveSql} AND w.slots <=
         (SELECT count(*) FROM hookdrift.task o WHERE o.worker = w.id AND o.state = 'running'))
     ORDER BY service`,
    [run, afterMs],
  )
}

/**
 * A transaction that the server ends when its process rests in it for five seconds: others wait for its locks, and a
 * process may be paused, or its machine gone, at any statement.
 */
export function briefTransaction<Result>(
  db: PostgresDatabase,
  work: (transaction: PostgresTransaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(work, { mostIdleMs: 5_000 })
}
