import type { ProjectList } from '../../audit/audited-project.ts'
import type { PostgresDatabase, PostgresSession } from '../../history/postgres/connect.ts'
import { commitSurely } from '../../history/postgres/postgres-backend.ts'
import type { RunStart } from '../../history/staged.ts'
import type { ErrorKind } from '../../model/errors.ts'
import type { RunScope } from '../../model/run-scope.ts'
import type { FailOn } from '../../model/violation.ts'
import { briefTransaction, leftSql } from './tasks.ts'
import { isLiveSql } from './workers.ts'

/** What a run is asked for. */
export interface RunRequest {
  /** The schedule whose tick it is; null: a person asked. */
  readonly schedule: string | null
  readonly configurationDigest: string
  readonly policyDigest: string
  readonly sealKeyId: string
  /** Patterns of projects; all when empty. */
  readonly only: readonly string[]
  readonly failOn: FailOn
  readonly runsProbes: boolean
  readonly acceptsRemovals: boolean
  /** Whether channels are notified. */
  readonly notifies: boolean
  /** For all of the run: a walk that meets the end says so. */
  readonly runTimeoutMs: number
}

/** What the coordinator of a run found out before it began, besides its projects: another one goes on from here. */
export interface RunPlan {
  readonly lists: readonly ProjectList[]
  readonly isWholeFleet: boolean
  /** Whether these are all projects of the configuration, so that lists are searched for others. */
  readonly areAll: boolean
  /** What a later report says that the run was to cover. */
  readonly scope: RunScope
}

/** Asks the pool for a run that a person wants. */
export async function requestRun(db: PostgresDatabase, request: RunRequest, id: string): Promise<void> {
  await commitSurely(db, {
    work: (session) => insertRequest(session, id, request),
    subject: () => 'the request for a run',
    advice: '`hookdrift status` says whether it is under way once the server is up',
    async isRecorded(session) {
      // One that is on its way is waited for: it has the same id.
      await insertRequest(session, id, request)
      return true
    },
  })
}

/**
 * Asks for the run of a tick, once among all workers: the first one inserts it. `dueAt` in milliseconds, by the
 * schedule's pattern, so that all workers name the tick alike. Returns `taken` where this worker asked, `elsewhere` where
 * another one had, `running` where the run before is not over: then the tick has none.
 */
export function takeTick(
  db: PostgresDatabase,
  { schedule, dueAt }: { readonly schedule: string; readonly dueAt: number },
  request: RunRequest,
): Promise<'taken' | 'elsewhere' | 'running'> {
  return briefTransaction(db, async (transaction) => {
    const asked = await insertRequest(transaction, `${schedule} ${new Date(dueAt).toISOString()}`, request)
    return asked === undefined ? 'elsewhere' : asked ? 'taken' : 'running'
  })
}

/** Whether it waits for a worker: not where another one of the schedule does; undefined where it was there before. */
async function insertRequest(session: PostgresSession, id: string, request: RunRequest): Promise<boolean | undefined> {
  await session.run("DELETE FROM hookdrift.run_plan WHERE ended_at < clock_timestamp() - interval '30 days'")
  return session.value<boolean>(
    `INSERT INTO hookdrift.run_plan (id, schedule, request, asked_at, ended_at) SELECT $1, $2, $3, clock_timestamp(),
       (SELECT clock_timestamp() FROM hookdrift.run_plan WHERE schedule = $2 AND ended_at IS NULL)
     ON CONFLICT DO NOTHING RETURNING ended_at IS NULL`,
    [id, request.schedule, JSON.stringify(request)],
  )
}

export interface RequestedRun {
  readonly id: string
  readonly request: RunRequest
  /** The worker that coordinates it, or did before it was lost. */
  readonly coordinator: string | null
  /** For how long no worker has coordinated it, nor another run. */
  readonly waitedMs: number
  /** For how long it has ended with an error that does not pass by itself; null: it did not. */
  readonly failsForMs: number | null
  /** null: it was not planned. */
  readonly run: number | null
  /** The state of the run's row. */
  readonly state: string | null
  readonly startedAt: string | null
  /** Of hookdrift, that began the run; null: it was not planned. */
  readonly toolVersion: string | null
  readonly plan: RunPlan | null
  readonly leftMs: number | null
  readonly stoppedBy: 'sigint' | 'sigterm' | null
  readonly hasEnded: boolean
  readonly error: RunError | null
}

interface RequestRow extends Omit<RequestedRun, 'request' | 'plan' | 'error'> {
  readonly request: string
  readonly plan: string | null
  readonly error: string | null
}

const msSince = (time: string) => `(extract(epoch FROM clock_timestamp() - ${time}) * 1000)::float8`

const requestSql = `SELECT p.id, p.request, p.coordinator, p.run, r.state, r.started_at AS "startedAt",
    r.tool_version AS "toolVersion", p.plan, p.stopped_by AS "stoppedBy", p.error, ${leftSql} AS "leftMs",
    p.ended_at IS NOT NULL AS "hasEnded", ${msSince('p.fails_since')} AS "failsForMs",
    ${msSince('greatest(p.asked_at, w.seen_at, (SELECT max(ended_at) FROM hookdrift.run_plan WHERE run IS NOT NULL))')} AS "waitedMs"
  FROM hookdrift.run_plan p LEFT JOIN hookdrift.run r ON r.number = p.run
    LEFT JOIN hookdrift.worker w ON w.id = p.coordinator`

function requestOf({ request, plan, error, ...row }: RequestRow): RequestedRun {
  return { ...row, request: JSON.parse(request), plan: parsed(plan), error: parsed(error) }
}

function parsed<Value>(text: string | null): Value | null {
  return text === null ? null : JSON.parse(text)
}

export async function readRequestedRun(session: PostgresSession, id: string): Promise<RequestedRun | undefined> {
  const row = await session.get<RequestRow>(`${requestSql} WHERE p.id = $1`, [id])
  return row && requestOf(row)
}

/** Runs that this worker may coordinate, those under way first; none while another one that lives coordinates any. */
export async function waitingRuns(session: PostgresSession, worker: string): Promise<readonly RequestedRun[]> {
  const rows = await session.all<RequestRow>(
    `${requestSql} WHERE p.ended_at IS NULL AND NOT EXISTS (
       SELECT 1 FROM hookdrift.run_plan o JOIN hookdrift.worker w ON w.id = o.coordinator
       WHERE o.ended_at IS NULL AND w.id <> $1 AND ${isLiveSql})
     ORDER BY p.run IS NULL, p.asked_at, p.id`,
    [worker],
  )
  return rows.map(requestOf)
}

/** Makes a worker the coordinator of a run. False when another one was first. */
export async function takeRun(
  session: PostgresSession,
  { id, coordinator }: Pick<RequestedRun, 'id' | 'coordinator'>,
  worker: string,
): Promise<boolean> {
  const taken = await session.run(
    `UPDATE hookdrift.run_plan SET coordinator = $2
     WHERE id = $1 AND ended_at IS NULL AND coordinator IS NOT DISTINCT FROM $3`,
    [id, worker, coordinator],
  )
  return taken === 1
}

/** Leaves a run to another coordinator, or for a later try. `isFailing`: after an error that does not pass by itself. */
export async function leaveRun(
  session: PostgresSession,
  id: string,
  { worker, isFailing }: { readonly worker: string; readonly isFailing: boolean },
): Promise<void> {
  await session.run(
    `UPDATE hookdrift.run_plan SET coordinator = NULL, asked_at = clock_timestamp(),
       fails_since = CASE WHEN $3 THEN coalesce(fails_since, clock_timestamp()) ELSE fails_since END
     WHERE id = $1 AND coordinator = $2`,
    [id, worker, isFailing],
  )
}

/** Asks that a run ends soon with what it has. */
export async function stopRun(session: PostgresSession, id: string, by: 'sigint' | 'sigterm'): Promise<void> {
  await session.run('UPDATE hookdrift.run_plan SET stopped_by = coalesce(stopped_by, $2) WHERE id = $1', [id, by])
}

/** Why there is no committed run. */
export interface RunError {
  readonly kind: ErrorKind
  readonly message: string
}

/** False when it had ended before. `error`: null where the run was committed. */
export async function endRun(session: PostgresSession, id: string, error: RunError | null): Promise<boolean> {
  const text = error && JSON.stringify({ kind: error.kind, message: error.message })
  const ended = await session.run(
    'UPDATE hookdrift.run_plan SET ended_at = clock_timestamp(), error = $2, plan = NULL WHERE id = $1 AND ended_at IS NULL',
    [id, text],
  )
  return ended === 1
}

/** Writes what a run is about, with the beginning of its time, within the transaction that plans its tasks. */
export async function writePlan(
  session: PostgresSession,
  id: string,
  { run, plan, runTimeoutMs }: { readonly run: number; readonly plan: RunPlan; readonly runTimeoutMs: number },
): Promise<void> {
  await session.run(
    `UPDATE hookdrift.run_plan SET run = $2, plan = $3,
       stop_at = clock_timestamp() + make_interval(secs => $4::float8 / 1000) WHERE id = $1`,
    [id, run, JSON.stringify(plan), runTimeoutMs],
  )
}

/** The run whose projects are walked, as a worker must know it before it takes one. */
export interface WalkedRun {
  readonly run: number
  /** With the files, the key and the version that it began with. */
  readonly terms: RunTerms
  readonly request: RunRequest
  /** Until the run's time is over, by the server's clock. */
  readonly leftMs: number
  readonly stoppedBy: 'sigint' | 'sigterm' | null
  /** Services with projects that are not done. */
  readonly services: readonly string[]
}

type RunTerms = Omit<RunStart, 'failOn' | 'normaliser'>

/** undefined when no project waits or is walked. */
export async function readWalkedRun(session: PostgresSession): Promise<WalkedRun | undefined> {
  const row = await session.get<RunTerms & Omit<WalkedRun, 'terms' | 'request'> & { readonly request: string }>(
    `SELECT r.number AS run, r.started_at AS "startedAt", r.tool_version AS "toolVersion", r.policy_digest AS "policyDigest",
       r.configuration_digest AS "configurationDigest", r.seal_key_id AS "sealKeyId", p.request, ${leftSql} AS "leftMs",
       p.stopped_by AS "stoppedBy", t.services
     FROM hookdrift.run_plan p JOIN hookdrift.run r ON r.number = p.run CROSS JOIN LATERAL (
       SELECT array_agg(DISTINCT service) AS services FROM hookdrift.task WHERE run = p.run AND state IN ('planned', 'running')) t
     WHERE p.ended_at IS NULL AND r.state = 'running' AND t.services IS NOT NULL ORDER BY r.number DESC LIMIT 1`,
  )
  if (row === undefined) return undefined
  const { run, request, leftMs, stoppedBy, services, ...terms } = row
  return { run, terms, request: JSON.parse(request), leftMs, stoppedBy, services }
}
