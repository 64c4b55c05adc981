import type { AuditedProject, PageRead } from '../audit/audited-project.ts'
import { auditContained } from '../audit/contain-bugs.ts'
import type { LastWritten, OnBug, OpenRun, RunOptions } from '../audit/open-run.ts'
import type { PostgresDatabase } from '../history/postgres/connect.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { AuditError } from '../model/errors.ts'
import { Dropped } from '../model/stop.ts'
import type { Clock } from '../model/time.ts'
import { createEvaluator } from '../policy/evaluator.ts'
import { type Job, type Jobs, walkQueue } from './jobs.ts'
import type { RunDrafts } from './open-pool.ts'
import {
  briefTransaction,
  leaveTask,
  type PlannedProject,
  readTask,
  returnTask,
  type TaskKey,
  type TaskResult,
  type TaskState,
  takeTask,
} from './tasks.ts'
import type { Refusal } from './workers.ts'

/** What a worker walks with, the same for all tasks of a run. */
export interface RunSite {
  readonly options: RunOptions
  readonly sealer: Sealer
  /** Aborted when the run's time is over, or a person stopped it. */
  readonly signal: AbortSignal
  readonly onPage: (project: AuditedProject, page: PageRead) => void
  readonly onBug: OnBug
  readonly lastWritten: LastWritten
  /** undefined where the configuration does not have it. */
  open(project: PlannedProject): AuditedProject | undefined
}

export interface RunSites {
  /** Opens the site of a run, or says why this worker takes no part. Keeps it open for the next task. */
  enter(run: number, state: TaskState): Promise<RunSite | Refusal>
}

export interface WalkDependencies {
  readonly db: PostgresDatabase
  readonly jobs: Jobs
  readonly sites: RunSites
  readonly drafts: Pick<RunDrafts, 'ofTask'>
  readonly clock: Clock
  /** The id of this worker. */
  readonly worker: string
  /** Called when it took a task over from a worker that was lost. */
  readonly onTakenOver: () => void
}

/**
 * `walked`: its outcome is left. `obsolete`: there was nothing to do. `returned`: this worker stops, another one walks.
 * `lost`: another worker has it, and nothing more of this one was written. Or why it was refused.
 */
export type WalkResult = 'walked' | 'obsolete' | 'returned' | 'lost' | Refusal

/** What a walk is broken off with, besides the end of its run: its worker stops, or another one has the task. */
export type Abandonment = Dropped<'stopping' | 'lost'>

/**
 * Walks the project of a job, and leaves its outcome together with the job. `abandon` breaks the walk and its
 * requests off; its reason is an `Abandonment`.
 * @throws AuditError.failure when the server cannot be used
 */
export async function walkTask(
  job: Job<TaskKey>,
  dependencies: WalkDependencies,
  abandon: AbortSignal,
): Promise<WalkResult> {
  const { db, jobs, sites, worker } = dependencies
  const key = job.data
  const queue = walkQueue(key.service)
  const state = await readTask(db, key)
  if (state === undefined) {
    await jobs.complete(queue, job)
    return 'obsolete'
  }
  const site = await sites.enter(key.run, state)
  const project = typeof site === 'string' ? undefined : site.open(state.project)
  if (typeof site === 'string' || project === undefined) {
    await briefTransaction(db, async (transaction) => {
      if (!(await jobs.complete(queue, job, transaction))) return
      await jobs.send(queue, [key], {}, transaction)
    })
    return typeof site === 'string' ? site : 'configuration'
  }
  const token = await takeTask(db, key, { token: state.token, worker })
  if (token === undefined) return 'lost'
  if (state.wasRunning) dependencies.onTakenOver()
  const result = await walk(project, site, { ...dependencies, abandon, key, state })
  if (result === undefined) {
    if (isLost(abandon)) return 'lost'
    const isReturned = await briefTransaction(db, async (transaction) => {
      if (!(await returnTask(transaction, key, token))) return false
      if (await jobs.complete(queue, job, transaction)) await jobs.send(queue, [key], {}, transaction)
      return true
    })
    return isReturned ? 'returned' : 'lost'
  }
  const isLeft = await briefTransaction(db, async (transaction) => {
    if (!(await leaveTask(transaction, key, { token, result }))) return false
    // The job may be another worker's by now, which finds the task done.
    await jobs.complete(queue, job, transaction)
    return true
  })
  return isLeft ? 'walked' : 'lost'
}

interface TaskWalk extends WalkDependencies {
  readonly abandon: AbortSignal
  readonly key: TaskKey
  readonly state: TaskState
}

/** undefined when it was broken off, or another worker has the task. */
async function walk(
  project: AuditedProject,
  site: RunSite,
  { abandon, key, state, drafts, clock }: TaskWalk,
): Promise<TaskResult | undefined> {
  const now = Date.parse(state.terms.startedAt)
  const draft = drafts.ofTask({ run: key.run, ...state.terms })
  const { options, sealer, onPage, onBug, lastWritten } = site
  const evaluator = createEvaluator(options.policy, now, () => project.labels, clock.now)
  const run: OpenRun = {
    ...options,
    draft,
    sealer,
    clock,
    now,
    onPage,
    onBug,
    lastWritten,
    evaluator,
    signal: AbortSignal.any([site.signal, abandon]),
  }
  try {
    const outcome = await auditContained(project, run)
    if (abandon.aborted) return undefined
    return { outcome, draft: await draft.exportProject(project.ref) }
  } catch (error) {
    if (abandon.aborted || (error instanceof AuditError && error.kind === 'busy')) return undefined
    throw error
  }
}

function isLost({ reason }: AbortSignal): boolean {
  return reason instanceof Dropped && reason.why === 'lost'
}
