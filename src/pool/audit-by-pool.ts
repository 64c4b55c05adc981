import type { AuditedProject } from '../audit/audited-project.ts'
import { auditContained } from '../audit/contain-bugs.ts'
import type { OpenRun } from '../audit/open-run.ts'
import type { ProjectOutcome } from '../audit/project-outcome.ts'
import type { AuditAll } from '../audit/run-audit.ts'
import type { RunDraft } from '../history/draft/run-draft.ts'
import type { PostgresDatabase, PostgresSession } from '../history/postgres/connect.ts'
import { chunks } from '../model/chunks.ts'
import { AuditError } from '../model/errors.ts'
import { Stop } from '../model/stop.ts'
import type { Clock } from '../model/time.ts'
import { type Jobs, lostQueue, walkQueue } from './jobs.ts'
import { giveUpTasks, projectsOf, readDone, readProgress, type TaskKey, type TaskProgress } from './tasks.ts'
import { liveWorkers } from './workers.ts'

export interface PoolRun {
  readonly db: PostgresDatabase
  readonly jobs: Jobs
  readonly clock: Clock
  readonly draft: RunDraft
  /** Ids of the projects' rows, in the order of the projects: the tasks are planned. */
  readonly projectIds: readonly number[]
  readonly runTimeoutMs: number
  /** Aborted when another process is to go on with the run. */
  readonly handOver: AbortSignal
  /** Called with a service whose projects are given up, because no worker takes them, and with why. */
  readonly onUnclaimed?: ((service: string, reason: string) => void) | undefined
  /** For how long no worker may take them. */
  readonly unclaimedAfterMs?: number | undefined
}

/** Thrown where another process goes on with a run: nothing of it is given up. */
export class HandedOver extends Error {
  override readonly name = 'HandedOver'
}

const pollMs = 500
/** After the end of its time, for requests under way and the outcomes of what they brought. */
export const graceMs = 15_000

/**
 * Waits for the pool to walk all projects of a run, and takes over what its drafts and outcomes left. What no worker
 * finished is audited here with an aborted signal: it was not scanned, and nothing of it is gone.
 * @throws HandedOver when another process is to go on
 */
export function auditByPool(pool: PoolRun): AuditAll {
  return async (audit, run) => {
    const stop = await waitForTasks(audit.projects, pool)
    const { db, draft, projectIds } = pool
    const reasons = await giveUpTasks(db, draft.run, { which: 'unfinished', reason: stop ?? workersLost() })
    const outcomes = await importDone(audit.projects, pool)
    const unfinished = audit.projects.flatMap((project, at) => {
      const reason = reasons.get(projectIds[at] ?? 0)
      return reason === undefined ? [] : [{ project, run: { ...run, signal: AbortSignal.abort(reason) } }]
    })
    for (const outcome of await auditUnfinished(unfinished)) outcomes.set(outcome.project.name, outcome)
    return audit.projects.map(({ ref }) => {
      const outcome = outcomes.get(ref.name)
      if (outcome === undefined) throw new Error(`no worker left an outcome of ${ref.name}`)
      return outcome
    })
  }
}

const workersLost = () => new Error('its worker was lost three times')

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

/** How often workers are watched, and how long a service must wait while they are idle. */
const everyMs = 2_000

const unclaimedAfterMs = 120_000

/** Services of which no project was begun. */
async function untouchedServices(session: PostgresSession, run: number): Promise<readonly string[]> {
  const rows = await session.all<{ service: string }>(
    `SELECT service FROM hookdrift.task WHERE run = $1 GROUP BY service
     HAVING bool_and(state = 'planned' AND token = 0) ORDER BY service`,
    [run],
  )
  return rows.map(({ service }) => service)
}

/** Returns why the run was stopped before all tasks were done; undefined when it was not. */
async function waitForTasks(projects: readonly AuditedProject[], pool: PoolRun): Promise<Stop | undefined> {
  const { db, jobs, clock, draft, handOver, runTimeoutMs } = pool
  const findUnclaimed = watchUnclaimed(db, draft.run, { clock, afterMs: pool.unclaimedAfterMs })
  let stop: Stop | undefined
  let stoppedAt = 0
  for (;;) {
    if (handOver.aborted) throw new HandedOver()
    await giveUpLost(pool)
    const progress = await readProgress(db, draft.run)
    if (progress === undefined) throw AuditError.busy(`run ${draft.run} was ended by another process`)
    const { planned, running } = progress
    if (planned + running === 0) return stop
    if (stop === undefined) {
      stop = stopOf(progress, runTimeoutMs)
      if (stop !== undefined) {
        stoppedAt = clock.now()
        await giveUpTasks(db, draft.run, { which: 'planned', reason: stop })
        for (const service of new Set(projects.map(({ ref }) => ref.service))) await jobs.cancel(walkQueue(service))
        continue
      }
      for (const service of await findUnclaimed()) await giveUpService(service, pool)
    } else if (running === 0 || clock.now() - stoppedAt > graceMs) return stop
    await clock.sleep(pollMs, handOver).catch((error: unknown) => {
      if (!handOver.aborted) throw error
    })
  }
}

function stopOf({ leftMs, stoppedBy }: TaskProgress, runTimeoutMs: number): Stop | undefined {
  if (stoppedBy !== null) return new Stop(stoppedBy, stoppedBy.toUpperCase())
  return leftMs > 0 ? undefined : new Stop('run_timeout', `the run_timeout of ${runTimeoutMs / 1000} s is over`)
}

async function giveUpService(service: string, { db, jobs, draft, onUnclaimed }: PoolRun): Promise<void> {
  const reason = `no worker takes projects of ${service}: none has it under worker.services and the files of this run`
  onUnclaimed?.(service, reason)
  const which = await projectsOf(db, draft.run, service)
  await giveUpTasks(db, draft.run, { which, reason: new Error(reason) })
  await jobs.cancel(walkQueue(service))
}

/** Gives up the tasks whose jobs were tried three times. */
async function giveUpLost({ db, jobs, draft }: PoolRun): Promise<void> {
  const lost = await jobs.fetch<TaskKey>(lostQueue, { most: 100, cap: 1_000_000 })
  if (lost.length === 0) return
  const ofRun = lost.flatMap(({ data }) => (data.run === draft.run ? [data.projectId] : []))
  if (ofRun.length > 0) await giveUpTasks(db, draft.run, { which: ofRun, reason: workersLost() })
  for (const job of lost) await jobs.complete(lostQueue, job)
}

/** How many results are read at once: each may be some hundred KB. */
const mostRead = 50

async function importDone(
  projects: readonly AuditedProject[],
  { db, draft }: PoolRun,
): Promise<Map<string, ProjectOutcome>> {
  const outcomes = new Map<string, ProjectOutcome>()
  for (let after = 0; ; ) {
    const done = await readDone(db, draft.run, { after, most: mostRead })
    for (const { place, outcome, draft: drafted } of done) {
      const project = projects[place - 1]
      if (project === undefined) throw new Error(`task ${place} of run ${draft.run} has no project`)
      await draft.importProject(project.ref, drafted)
      outcomes.set(project.ref.name, outcome)
      after = place
    }
    if (done.length < mostRead) return outcomes
  }
}

async function auditUnfinished(
  unfinished: readonly { readonly project: AuditedProject; readonly run: OpenRun }[],
): Promise<readonly ProjectOutcome[]> {
  const outcomes: ProjectOutcome[] = []
  for (const batch of chunks(unfinished, 8)) {
    outcomes.push(...(await Promise.all(batch.map(({ project, run }) => auditContained(project, run)))))
  }
  return outcomes
}
