import type { AuditedProject } from '../audit/audited-project.ts'
import { type Audit, type AuditDependencies, conductRun, runAudit } from '../audit/run-audit.ts'
import type { RunDraft } from '../history/draft/run-draft.ts'
import type { PostgresDatabase, PostgresSession } from '../history/postgres/connect.ts'
import { projectIdsOf } from '../history/sql/project-ids.ts'
import { AuditError } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { type Clock, isoTime } from '../model/time.ts'
import { auditByPool, HandedOver, type PoolRun } from './audit-by-pool.ts'
import { type Jobs, type OpenJobs, walkQueue } from './jobs.ts'
import type { RunDrafts, SharedRunDraft } from './open-pool.ts'
import { type RequestedRun, type RunPlan, writePlan } from './runs.ts'
import { briefTransaction, insertTasks, plannedProject, readProjects, type TaskKey, type WalkOptions } from './tasks.ts'

interface RunCoordination {
  readonly db: PostgresDatabase
  readonly jobs: OpenJobs
  readonly drafts: RunDrafts
  /** Of the request. */
  readonly id: string
  /** Of this process: the run may have another one. */
  readonly clock: Clock
  /** Aborted when another process is to go on with the run. */
  readonly handOver: AbortSignal
  /** Called when the run has its number. */
  readonly onBegun?: (run: number) => void
  readonly onUnclaimed?: PoolRun['onUnclaimed']
  readonly unclaimedAfterMs?: PoolRun['unclaimedAfterMs']
}

/**
 * One run, walked by all workers of the pool. Returns the report of the committed run.
 * @throws as `runAudit`; after a HandedOver or an AuditError.failure, another process can go on with the run
 */
export async function auditTogether(
  audit: Audit,
  { plan, options }: { readonly plan: RunPlan; readonly options: WalkOptions },
  coordinating: RunCoordination,
  dependencies: AuditDependencies,
): Promise<Report> {
  const { drafts, onBegun } = coordinating
  let held: SharedRunDraft | undefined
  const history: AuditDependencies['history'] = {
    ...dependencies.history,
    async begin(start) {
      held = await drafts.begin(start)
      onBegun?.(held.run)
      return held
    },
  }
  return leavingBehind({ clock: dependencies.clock, held: () => held }, () =>
    runAudit(audit, { ...dependencies, history }, async (audit, run) => {
      if (held === undefined) throw new Error('a run is audited that was not begun')
      const planned = { ...coordinating, draft: held }
      const projectIds = await planTasks(planned, audit.projects, { plan, options })
      return poolOf(planned, { projectIds, options })(audit, run)
    }),
  )
}

/** Goes on with a run that another process began: `audit` has the projects of its tasks, in their order. Returns and throws as `auditTogether`. */
export async function goOnTogether(
  audit: Audit,
  { run, startedAt, options }: RequestedRun & { readonly options: WalkOptions },
  coordinating: RunCoordination,
  dependencies: AuditDependencies,
): Promise<Report> {
  const { db, drafts, onBegun } = coordinating
  if (run === null || startedAt === null) throw new Error('a run is adopted that was not begun')
  const draft = await drafts.adopt(run)
  onBegun?.(run)
  return leavingBehind({ clock: dependencies.clock, held: () => draft }, async () => {
    const planned = { ...coordinating, draft }
    const tasks = await readProjects(db, run)
    const projectIds = tasks.map(({ projectId }) => projectId)
    const auditAll = poolOf(planned, { projectIds, options })
    const begun = { draft, startedAt }
    return conductRun(audit, dependencies, begun, auditAll)
  })
}

function poolOf(
  coordinating: RunCoordination & { readonly draft: SharedRunDraft },
  { projectIds, options }: { readonly projectIds: readonly number[]; readonly options: WalkOptions },
) {
  return auditByPool({ ...coordinating, projectIds, runTimeoutMs: options.runTimeoutMs })
}

/** After an error from outside, the run is left to another process; after a bug, it is closed. */
async function leavingBehind(
  { clock, held }: Pick<AuditDependencies, 'clock'> & { readonly held: () => SharedRunDraft | undefined },
  work: () => Promise<Report>,
): Promise<Report> {
  try {
    return await work()
  } catch (error) {
    const isPassing = error instanceof HandedOver || (error instanceof AuditError && error.kind === 'failure')
    if (isPassing)
      await held()
        ?.release()
        .catch(() => {})
    else await held()?.giveUp(isoTime(clock.now()))
    throw error
  }
}

interface TaskPlanner {
  readonly db: PostgresDatabase
  readonly jobs: { makeQueues(services: readonly string[]): Promise<void> } & Pick<Jobs, 'send'>
  readonly draft: Pick<RunDraft, 'run' | 'token'>
  /** Of the request. */
  readonly id: string
}

/**
 * Plans a run that has begun: a task and a job for each project, in one transaction. Returns the ids of the projects'
 * rows, in the order of the projects.
 * @throws AuditError.busy when the lease was lost
 */
async function planTasks(
  { db, jobs, draft, id }: TaskPlanner,
  projects: readonly AuditedProject[],
  { plan, options }: { readonly plan: RunPlan; readonly options: WalkOptions },
): Promise<readonly number[]> {
  const { run } = draft
  const services = [...new Set(projects.map(({ ref }) => ref.service))]
  await jobs.makeQueues(services)
  return briefTransaction(db, async (transaction) => {
    await requireLease(transaction, draft)
    await transaction.run('DELETE FROM hookdrift.task WHERE run <> $1', [run])
    await writePlan(transaction, id, { run, plan, options })
    const ids = await projectIdsOf(
      transaction,
      projects.map(({ ref }) => ref),
    )
    const tasks = projects.map((project, at) => ({ projectId: ids[at] ?? 0, project: plannedProject(project) }))
    await insertTasks(transaction, run, tasks)
    for (const [service, group] of Map.groupBy(tasks, ({ project }) => project.ref.service)) {
      const keys = group.map(({ projectId }): TaskKey => ({ run, projectId, service }))
      await jobs.send(walkQueue(service), keys, {}, transaction)
    }
    return ids
  })
}

/** @throws AuditError.busy when another process owns the lease */
async function requireLease(session: PostgresSession, { run, token }: TaskPlanner['draft']): Promise<void> {
  const isOwn = await session.get('SELECT 1 FROM hookdrift.lease WHERE token = $1 FOR SHARE', [token])
  if (isOwn === undefined) throw AuditError.busy(`run ${run} no longer owns the lease`)
}
