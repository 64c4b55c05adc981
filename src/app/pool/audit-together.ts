import type { AuditedProject } from '../../audit/audited-project.ts'
import { auditContained } from '../../audit/contain-bugs.ts'
import type { OpenRun } from '../../audit/open-run.ts'
import type { ProjectOutcome } from '../../audit/project-outcome.ts'
import { type Audit, type AuditDependencies, conductRun, runAudit } from '../../audit/run-audit.ts'
import type { PostgresDatabase } from '../../history/postgres/connect.ts'
import { projectIdsOf } from '../../history/sql/project-ids.ts'
import { AuditError } from '../../model/errors.ts'
import type { Report } from '../../model/report.ts'
import { Stop } from '../../model/stop.ts'
import type { Clock } from '../../model/time.ts'
import type { Jobs } from './jobs.ts'
import type { RunDrafts, SharedRunDraft } from './open-pool.ts'
import { type RequestedRun, type RunPlan, writePlan } from './runs.ts'
import {
  briefTransaction,
  giveUpTasks,
  insertTasks,
  readEnded,
  readProgress,
  type TaskProgress,
  unclaimedServices,
} from './tasks.ts'

interface RunCoordination {
  readonly db: PostgresDatabase
  readonly jobs: Pick<Jobs, 'send' | 'clear'>
  readonly drafts: RunDrafts
  /** The id of this worker, which took the run. */
  readonly worker: string
  /** Of this process: the run may have another one. */
  readonly clock: Clock
  /** Aborted when another process is to go on with the run. */
  readonly handOver: AbortSignal
  /** Called with a service whose projects are given up, because no worker takes them, and with why. */
  readonly onUnclaimed: (service: string, reason: string) => void
  /** For how long no worker may take them. Default: two minutes. */
  readonly unclaimedAfterMs?: number | undefined
}

const pollMs = 500
/** After the end of its time, for requests under way and the outcomes of what they brought. */
const graceMs = 15_000

/**
 * One run, walked by all workers of the pool; also one that another process planned: then `audit` has the projects of
 * its tasks, in their order. Returns the report of the committed run.
 * @throws as `runAudit`; after an AuditError.failure, another process can go on with the run
 */
export async function auditTogether(
  audit: Audit,
  requested: Pick<RequestedRun, 'id' | 'run' | 'startedAt' | 'request'> & { readonly plan: RunPlan },
  coordinating: RunCoordination,
  dependencies: AuditDependencies,
): Promise<Report> {
  const { drafts } = coordinating
  const { run, startedAt } = requested
  if (run !== null && startedAt !== null) {
    const draft = await drafts.adopt(run)
    return conductRun(audit, dependencies, { draft, startedAt }, ({ projects }, open) =>
      auditByPool(projects, { ...open, draft }, requested, coordinating),
    )
  }
  let draft: SharedRunDraft | undefined
  const begin: typeof drafts.begin = async (start) => {
    draft = await drafts.begin(start)
    return draft
  }
  const history = { ...dependencies.history, begin }
  return runAudit(audit, { ...dependencies, history }, async ({ projects }, open) => {
    if (draft === undefined) throw new Error('a run is audited that was not begun')
    await planTasks(projects, draft, requested, coordinating)
    return auditByPool(projects, { ...open, draft }, requested, coordinating)
  })
}

/**
 * Plans a run that has begun: a task and a job for each project, in one transaction.
 * @throws AuditError.busy when the lease was lost
 */
async function planTasks(
  projects: readonly AuditedProject[],
  { run, token }: SharedRunDraft,
  { id, plan, request: { runTimeoutMs } }: Parameters<typeof auditTogether>[1],
  { db, jobs }: RunCoordination,
): Promise<void> {
  // Those of earlier runs.
  await jobs.clear()
  const refs = projects.map(({ ref }) => ref)
  await briefTransaction(db, async (transaction) => {
    const isOwn = await transaction.get('SELECT 1 FROM hookdrift.lease WHERE token = $1 FOR SHARE', [token])
    if (isOwn === undefined) throw AuditError.busy(`run ${run} no longer owns the lease`)
    await writePlan(transaction, id, { run, plan, runTimeoutMs })
    const ids = await projectIdsOf(transaction, refs)
    const keys = refs.map(({ service }, at) => ({ run, projectId: ids[at] ?? 0, service }))
    await insertTasks(transaction, keys, projects)
    await jobs.send(keys, transaction)
  })
}

/**
 * Waits for the pool to walk all projects of a run, and takes over what its drafts and outcomes left. What no worker
 * finished is audited here with an aborted signal: it was not scanned, and nothing of it is gone.
 */
async function auditByPool(
  projects: readonly AuditedProject[],
  run: OpenRun & { readonly draft: SharedRunDraft },
  requested: Parameters<typeof auditTogether>[1],
  coordinating: RunCoordination,
): Promise<readonly ProjectOutcome[]> {
  const number = run.draft.run
  await waitForTasks(number, requested.request.runTimeoutMs, coordinating)
  const outcomes: ProjectOutcome[] = []
  for (const [at, project] of projects.entries()) {
    const ended = await readEnded(coordinating.db, number, at + 1)
    if (ended instanceof Error) {
      outcomes.push(await auditContained(project, { ...run, signal: AbortSignal.abort(ended) }))
    } else {
      await run.draft.importProject(project.ref, ended.draft)
      outcomes.push(ended.outcome)
    }
  }
  return outcomes
}

/** Returns when each task is done or given up. */
async function waitForTasks(run: number, runTimeoutMs: number, coordinating: RunCoordination): Promise<void> {
  const { db, worker, clock, handOver, onUnclaimed, unclaimedAfterMs = 120_000 } = coordinating
  let stoppedAt: number | undefined
  for (;;) {
    if (handOver.aborted) throw AuditError.failure(`run ${run} is handed over`, { isPassing: true })
    const progress = await readProgress(db, run)
    if (progress?.coordinator !== worker)
      throw AuditError.failure(`run ${run} is another worker's`, { isPassing: true })
    if (progress.planned + progress.running === 0) return
    const stop = stopOf(progress, runTimeoutMs)
    if (stop !== undefined) {
      stoppedAt ??= clock.now()
      // Walks that are under way have a while.
      const isOver = clock.now() - stoppedAt > graceMs
      await giveUpTasks(db, run, stop, isOver ? {} : { states: ['planned'] })
      if (isOver) return
    } else {
      for (const service of await unclaimedServices(db, run, unclaimedAfterMs)) {
        const why = `no worker takes projects of ${service}: none has it under worker.services and the files of this run`
        onUnclaimed(service, why)
        await giveUpTasks(db, run, new Error(why), { service })
      }
    }
    await clock.sleep(pollMs, handOver).catch((error: unknown) => {
      if (!handOver.aborted) throw error
    })
  }
}

function stopOf({ leftMs, stoppedBy }: TaskProgress, runTimeoutMs: number): Stop | undefined {
  if (stoppedBy !== null) return new Stop(stoppedBy, stoppedBy.toUpperCase())
  return leftMs > 0 ? undefined : new Stop('run_timeout', `the run_timeout of ${runTimeoutMs / 1000} s is over`)
}
