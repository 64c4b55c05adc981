import type { ProjectList } from '../audit/audited-project.ts'
import type { Move } from '../history/lease-owner.ts'
import type { PostgresDatabase, PostgresSession } from '../history/postgres/connect.ts'
import { commitSurely } from '../history/postgres/postgres-backend.ts'
import { moveIn } from '../history/sql/runs.ts'
import type { ErrorKind } from '../model/errors.ts'
import type { RunScope } from '../model/run-scope.ts'
import type { FailOn } from '../model/violation.ts'
import { type Jobs, runQueue } from './jobs.ts'
import { briefTransaction, type WalkOptions } from './tasks.ts'

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

/** The data of the job of a run. */
export interface RunKey extends Pick<RunRequest, 'schedule'> {
  readonly id: string
  /** Since when workers gave the job back because their files differ, in milliseconds since the epoch. */
  readonly differsSince?: number
  /** Since when it ends with an error that does not pass by itself, likewise. */
  readonly failsSince?: number
}

/** One run of a schedule waits or is under way at a time; persons wait for each other. */
export function keyOf({ id, schedule }: RunKey): string {
  return schedule === null ? `asked ${id}` : `schedule ${schedule}`
}

/** Asks the pool for a run. False when one of the same schedule waits or is under way. */
export async function requestRun(
  { db, jobs }: { readonly db: PostgresDatabase; readonly jobs: Jobs },
  request: RunRequest,
  id: string,
  within?: PostgresSession,
): Promise<boolean> {
  const ask = async (session: PostgresSession) => {
    const job: RunKey = { id, schedule: request.schedule }
    const sent = await jobs.send(runQueue, [job], { key: keyOf(job) }, session)
    if (sent === 0) return false
    await session.run("DELETE FROM hookdrift.run_plan WHERE ended_at < clock_timestamp() - interval '1 day'")
    await session.run('INSERT INTO hookdrift.run_plan (id, request, asked_at) VALUES ($1, $2, clock_timestamp())', [
      id,
      JSON.stringify(request),
    ])
    return true
  }
  if (within !== undefined) return ask(within)
  return commitSurely(db, {
    work: ask,
    subject: () => 'the request for a run',
    advice: '`hookdrift status` says whether it is under way once the server is up',
    async isRecorded(session) {
      // One that is on its way is waited for: it has the key of the job.
      if ((await session.get('SELECT 1 FROM hookdrift.run_plan WHERE id = $1', [id])) === undefined) await ask(session)
      return true
    },
  })
}

export interface RequestedRun {
  readonly request: RunRequest
  /** null: it did not begin. */
  readonly run: number | null
  /** The state of the run's row. */
  readonly state: string | null
  readonly startedAt: string | null
  /** Of hookdrift, that began the run; null: it did not begin. */
  readonly toolVersion: string | null
  readonly plan: RunPlan | undefined
  readonly options: WalkOptions | undefined
  readonly leftMs: number | null
  readonly stoppedBy: 'sigint' | 'sigterm' | null
  readonly hasEnded: boolean
  readonly error: RunError | null
  /** Where the history was moved to; undefined where it was not. */
  readonly move: Move | undefined
}

export async function readRequestedRun(session: PostgresSession, id: string): Promise<RequestedRun | undefined> {
  const row = await session.get<
    Omit<RequestedRun, 'request' | 'plan' | 'options' | 'error' | 'move'> & {
      readonly request: string
      readonly error: string | null
      readonly options: string | null
      readonly plan: string | null
    }
  >(
    `SELECT p.request, p.run, r.state, r.started_at AS "startedAt",
       r.tool_version AS "toolVersion", p.plan, p.options, p.stopped_by AS "stoppedBy", p.error,
       (extract(epoch FROM p.stop_at - clock_timestamp()) * 1000)::float8 AS "leftMs", p.ended_at IS NOT NULL AS "hasEnded"
     FROM hookdrift.run_plan p LEFT JOIN hookdrift.run r ON r.number = p.run WHERE p.id = $1`,
    [id],
  )
  if (row === undefined) return undefined
  return {
    ...row,
    request: JSON.parse(row.request),
    plan: parsed(row.plan),
    error: parsed(row.error) ?? null,
    move: await moveIn(session),
    options: parsed(row.options),
  }
}

function parsed<Value>(text: string | null): Value | undefined {
  return text === null ? undefined : JSON.parse(text)
}

/** The signal that stopped a run; undefined when none did. */
export async function readStop(session: PostgresSession, run: number): Promise<'sigint' | 'sigterm' | undefined> {
  return session.value('SELECT stopped_by FROM hookdrift.run_plan WHERE run = $1 AND stopped_by IS NOT NULL', [run])
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

export async function endRun(session: PostgresSession, id: string, error: RunError | null): Promise<void> {
  const text = error === null ? null : JSON.stringify(error)
  await session.run('UPDATE hookdrift.run_plan SET ended_at = clock_timestamp(), error = $2 WHERE id = $1', [id, text])
}

/** Writes what a run is about, with the beginning of its time, within the transaction that plans its tasks. */
export async function writePlan(
  session: PostgresSession,
  id: string,
  { run, plan, options }: { readonly run: number; readonly plan: RunPlan; readonly options: WalkOptions },
): Promise<void> {
  await session.run(
    `UPDATE hookdrift.run_plan SET run = $2, plan = $3, options = $4,
       stop_at = clock_timestamp() + make_interval(secs => $5::float8 / 1000) WHERE id = $1`,
    [id, run, JSON.stringify(plan), JSON.stringify(options), options.runTimeoutMs],
  )
}

/** `taken`: this worker asked for the run. `elsewhere`: another one had. `running`: the run before is not over. */
type TickOutcome = 'taken' | 'elsewhere' | 'running'

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
