import { deflateSync, inflateSync } from 'node:zlib'
import type { AuditedProject } from '../audit/audited-project.ts'
import type { ProjectOutcome } from '../audit/project-outcome.ts'
import type { ExportedProject } from '../history/draft/drafted-project.ts'
import type { PostgresDatabase, PostgresSession, PostgresTransaction } from '../history/postgres/connect.ts'
import type { RunStart } from '../history/staged.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { FileLocation } from '../model/schema.ts'
import { Stop } from '../model/stop.ts'

/** A project of a run, as any worker can open it: without its key, which each reads from its own configuration. */
export interface PlannedProject {
  readonly ref: ProjectRef
  readonly labels: Readonly<Record<string, string>>
  readonly configuredAt: FileLocation | null
  readonly isMissing: boolean
}

interface PlannedTask {
  readonly projectId: number
  readonly project: PlannedProject
}

/** A job: the task is all else. */
export interface TaskKey {
  readonly run: number
  readonly projectId: number
  readonly service: string
}

/** What every walk of a run must agree on. */
type RunTerms = Omit<RunStart, 'failOn' | 'normaliser'>

/** How walks of a run differ from those of another. */
export interface WalkOptions {
  readonly runsProbes: boolean
  readonly acceptsRemovals: boolean
  /** For all of the run, in milliseconds: a walk that meets the end says so. */
  readonly runTimeoutMs: number
}

export function plannedProject({ ref, labels, configuredAt, isMissing = false }: AuditedProject): PlannedProject {
  return { ref, labels, configuredAt, isMissing }
}

/** Writes the tasks of a run, in the order of its projects. */
export async function insertTasks(session: PostgresSession, run: number, tasks: readonly PlannedTask[]): Promise<void> {
  await session.run(
    `INSERT INTO hookdrift.task (run, project_id, service, place, project, state, planned_at)
     SELECT $1, t.id, t.service, t.place, t.project, 'planned', clock_timestamp()
     FROM unnest($2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS t (id, service, project, place)`,
    [
      run,
      tasks.map(({ projectId }) => projectId),
      tasks.map(({ project }) => project.ref.service),
      tasks.map(({ project }) => JSON.stringify(project)),
    ],
  )
}

/** What a worker must know before it walks. */
export interface TaskState {
  readonly terms: RunTerms
  readonly options: WalkOptions
  readonly project: PlannedProject
  readonly token: number
  /** Whether another worker had it and was lost. */
  readonly wasRunning: boolean
  /** Until the run's time is over, by the server's clock. */
  readonly leftMs: number
  readonly stoppedBy: 'sigint' | 'sigterm' | null
}

interface TaskRow extends RunTerms, Omit<TaskState, 'terms' | 'options' | 'project'> {
  readonly options: string
  readonly project: string
}

/** undefined where there is nothing left to do: the task is done or given up, or the run has ended. */
export async function readTask(session: PostgresSession, { run, projectId }: TaskKey): Promise<TaskState | undefined> {
  const row = await session.get<TaskRow>(
    `SELECT r.started_at AS "startedAt", r.tool_version AS "toolVersion", r.policy_digest AS "policyDigest",
       r.configuration_digest AS "configurationDigest", r.seal_key_id AS "sealKeyId", p.options, t.project, t.token, t.state = 'running' AS "wasRunning",
       ${leftSql} AS "leftMs", p.stopped_by AS "stoppedBy"
     FROM hookdrift.task t JOIN hookdrift.run_plan p ON p.run = t.run JOIN hookdrift.run r ON r.number = t.run
     WHERE t.run = $1 AND t.project_id = $2 AND p.ended_at IS NULL AND r.state = 'running' AND t.state IN ('planned', 'running')`,
    [run, projectId],
  )
  if (row === undefined) return undefined
  const { options, project, token, wasRunning, leftMs, stoppedBy, ...terms } = row
  const rest = { token, wasRunning, leftMs, stoppedBy }
  return { terms, options: JSON.parse(options), project: JSON.parse(project), ...rest }
}

const leftSql = '(extract(epoch FROM p.stop_at - clock_timestamp()) * 1000)::float8'

/**
 * Takes a task that no worker took since it was read. Returns the token with which its result is left; undefined when
 * another worker was first.
 */
export async function takeTask(
  session: PostgresSession,
  { run, projectId }: TaskKey,
  { token, worker }: { readonly token: number; readonly worker: string },
): Promise<number | undefined> {
  return session.value<number>(
    `UPDATE hookdrift.task SET token = token + 1, state = 'running', worker = $4, begun_at = clock_timestamp()
     WHERE run = $1 AND project_id = $2 AND token = $3 AND state IN ('planned', 'running') RETURNING token`,
    [run, projectId, token, worker],
  )
}

/** Puts a task back that this worker took: a stopped worker leaves nothing half. False when another worker has it. */
export async function returnTask(
  session: PostgresSession,
  { run, projectId }: TaskKey,
  token: number,
): Promise<boolean> {
  const returned = await session.run(
    `UPDATE hookdrift.task SET token = token + 1, state = 'planned', worker = NULL
     WHERE run = $1 AND project_id = $2 AND token = $3 AND state = 'running'`,
    [run, projectId, token],
  )
  return returned === 1
}

/** What the walk of a project came to. */
export interface TaskResult {
  readonly outcome: ProjectOutcome
  readonly draft: ExportedProject
}

/** Leaves it, compressed. False when another worker has the task: nothing was written. */
export async function leaveTask(
  session: PostgresSession,
  { run, projectId }: TaskKey,
  { token, result }: { readonly token: number; readonly result: TaskResult },
): Promise<boolean> {
  const text = deflateSync(JSON.stringify(result), { level: 1 }).toString('base64')
  const written = await session.run(
    `UPDATE hookdrift.task SET state = 'done', result = decode($4, 'base64')
     WHERE run = $1 AND project_id = $2 AND token = $3 AND state = 'running'`,
    [run, projectId, token, text],
  )
  return written === 1
}

export interface TaskProgress {
  readonly planned: number
  readonly running: number
  readonly lost: number
  readonly done: number
  /** Until the run's time is over. */
  readonly leftMs: number
  readonly stoppedBy: 'sigint' | 'sigterm' | null
}

/** How far a run is; undefined when it is no longer this pool's. */
export async function readProgress(session: PostgresSession, run: number): Promise<TaskProgress | undefined> {
  return session.get<TaskProgress>(
    `SELECT ${leftSql} AS "leftMs", p.stopped_by AS "stoppedBy", ${['planned', 'running', 'lost', 'done']
      .map((state) => `count(t.run) FILTER (WHERE t.state = '${state}') AS "${state}"`)
      .join(', ')}
     FROM hookdrift.run_plan p LEFT JOIN hookdrift.task t ON t.run = p.run WHERE p.run = $1 GROUP BY p.id`,
    [run],
  )
}

/** Which tasks are given up: all that are not done, those that were not begun, or some by their projects. */
type GivenUp = 'unfinished' | 'planned' | readonly number[]

/**
 * Gives up tasks that are not done: their workers leave nothing. A task keeps the reason that it was first given up with,
 * also for another process. Returns the reasons by the projects' ids; for `unfinished`, those that were given up before
 * included.
 */
export async function giveUpTasks(
  db: PostgresDatabase,
  run: number,
  { which, reason }: { readonly which: GivenUp; readonly reason: Error },
): Promise<ReadonlyMap<number, Error>> {
  const isChosen =
    which === 'unfinished' ? 'true' : which === 'planned' ? "state = 'planned'" : 'project_id = ANY($3::bigint[])'
  const written: WrittenReason = { code: reason instanceof Stop ? reason.code : null, message: reason.message }
  const rows = await db.all<{ id: number; reason: string }>(
    `UPDATE hookdrift.task SET token = token + 1, state = 'lost', reason = coalesce(reason, $2)
     WHERE run = $1 AND state <> 'done' AND ${isChosen} RETURNING project_id AS id, reason`,
    [run, JSON.stringify(written), ...(typeof which === 'string' ? [] : [which])],
  )
  return new Map(rows.map(({ id, reason }) => [id, reasonOf(JSON.parse(reason))]))
}

interface WrittenReason {
  readonly code: Stop['code'] | null
  readonly message: string
}

function reasonOf({ code, message }: WrittenReason): Error {
  return code === null ? new Error(message) : new Stop(code, message)
}

/** Some of the tasks that are done, after a place in the order of projects. */
export async function readDone(
  db: PostgresDatabase,
  run: number,
  { after, most }: { readonly after: number; readonly most: number },
): Promise<readonly (TaskResult & { readonly place: number })[]> {
  const rows = await db.all<{ readonly place: number; readonly result: string }>(
    `SELECT place, encode(result, 'base64') AS result FROM hookdrift.task
     WHERE run = $1 AND state = 'done' AND place > $2 ORDER BY place LIMIT $3`,
    [run, after, most],
  )
  return rows.map(({ place, result }) => {
    // A worker of the same version wrote it.
    const left: TaskResult = JSON.parse(inflateSync(Buffer.from(result, 'base64')).toString())
    return { ...left, place }
  })
}

/** The projects of a run, in their order. */
export async function readProjects(session: PostgresSession, run: number): Promise<readonly PlannedTask[]> {
  const rows = await session.all<{ projectId: number; project: string }>(
    'SELECT project_id AS "projectId", project FROM hookdrift.task WHERE run = $1 ORDER BY place',
    [run],
  )
  return rows.map(({ projectId, project }) => ({ projectId, project: JSON.parse(project) }))
}

/** Ids of the projects of a service in a run. */
export function projectsOf(session: PostgresSession, run: number, service: string): Promise<readonly number[]> {
  return session.column('SELECT project_id FROM hookdrift.task WHERE run = $1 AND service = $2', [run, service])
}

interface WaitingService {
  readonly service: string
  /** Whether one of its tasks was not begun. */
  readonly isFresh: boolean
  /** Tasks that workers have, lost ones among them. */
  readonly running: number
}

/** Services with tasks that are not done. */
export async function waitingServices(session: PostgresSession): Promise<readonly WaitingService[]> {
  return session.all(
    `SELECT t.service, bool_or(t.state = 'planned') AS "isFresh", count(*) FILTER (WHERE t.state = 'running') AS running
     FROM hookdrift.task t JOIN hookdrift.run_plan p ON p.run = t.run
     WHERE t.state IN ('planned', 'running') AND p.ended_at IS NULL GROUP BY t.service`,
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
