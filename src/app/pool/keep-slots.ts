import type { AuditedProject } from '../../audit/audited-project.ts'
import { auditContained } from '../../audit/contain-bugs.ts'
import type { OpenRun } from '../../audit/open-run.ts'
import { SqlScanDraft } from '../../history/draft/scan-draft.ts'
import type { PostgresDatabase } from '../../history/postgres/connect.ts'
import { sqlReader } from '../../history/reader.ts'
import { Dropped } from '../../model/stop.ts'
import type { Clock } from '../../model/time.ts'
import { createEvaluator } from '../../policy/evaluator.ts'
import type { Job, Jobs } from './jobs.ts'
import { readWalkedRun, type WalkedRun } from './runs.ts'
import { briefTransaction, giveUpTasks, leaveTask, type PlannedProject, type TaskResult, takeTask } from './tasks.ts'
import { touchEveryMs } from './workers.ts'

/** What a worker walks with, the same for all tasks of a run. `signal` aborts with the run's time, or by a person. */
export interface RunSite extends Omit<OpenRun, 'draft' | 'evaluator' | 'clock' | 'now'> {
  readonly run: WalkedRun
  open(project: PlannedProject): AuditedProject
}

export interface SlotDependencies {
  readonly db: PostgresDatabase
  readonly jobs: Jobs
  /** Opens the site of a run, and keeps it open for the next tasks; undefined where this worker takes no part. */
  readonly enter: (run: WalkedRun) => Promise<RunSite | undefined>
  readonly clock: Clock
  /** The id of this worker. */
  readonly worker: string
  readonly slots: number
  /** How many walks of a service all workers together may have under way; undefined: this worker does not walk it. */
  readonly capOf: (service: string) => number | undefined
  /** Calls repeatedly until the returned function is called. */
  readonly every: (ms: number, call: () => void) => () => void
  readonly watch: SlotObserver
}

/** Called with each event of the slots. */
export interface SlotObserver {
  /** `isTakenOver`: from a worker that was lost. */
  begun(service: string, isTakenOver: boolean): void
  ended(service: string, result: WalkResult): void
  failed(service: string, error: unknown): void
  /** The server could not be asked for work. */
  unreachable(error: unknown): void
}

/**
 * `walked`: its outcome is left. `over`: there was nothing to do, or its workers were lost too often. `returned`: this
 * worker stops, another one walks it. `lost`: another one has it, and nothing more of this one was written.
 */
export type WalkResult = 'walked' | 'over' | 'returned' | 'lost'

/** What a walk is broken off with, besides the end of its run. */
const stopping = new Dropped('stopping', 'its worker stops')
const lost = new Dropped('lost', 'another worker has it')

/** How soon a worker asks for jobs again. */
const napMs = 500
const mostTries = 3

interface Walk {
  readonly job: Job
  readonly abandon: AbortController
  done?: Promise<void>
}

/**
 * Walks the projects of runs, several at once, until the signal aborts; then puts back what it has not finished. Errors
 * of one walk do not end the others.
 */
export async function keepSlots(dependencies: SlotDependencies, signal: AbortSignal): Promise<void> {
  const { db, clock, jobs, enter, slots, capOf, watch } = dependencies
  const walks = new Set<Walk>()
  let isToAsk = false
  let wakeUp = () => {}
  const stopTouching = dependencies.every(touchEveryMs, () => {
    const touched = [...walks]
    void jobs
      .touch(touched.map(({ job }) => job))
      .then((held) => {
        for (const { job, abandon } of touched) if (!held.has(job.id)) abandon.abort(lost)
      })
      // A walk that cannot be touched for long is lost, and its next write says so.
      .catch(() => {})
  })
  const onStop = () => {
    for (const { abandon } of walks) abandon.abort(stopping)
    wakeUp()
  }
  signal.addEventListener('abort', onStop)
  try {
    while (!signal.aborted) {
      isToAsk = false
      await fillSlots().catch(watch.unreachable)
      await nap()
    }
    await Promise.all([...walks].map(({ done }) => done))
  } finally {
    signal.removeEventListener('abort', onStop)
    stopTouching()
  }

  /** A worker that takes no part in the run takes no job of it. */
  async function fillSlots(): Promise<void> {
    const run = await readWalkedRun(db)
    if (run === undefined) return
    const site = await enter(run)
    if (site === undefined) return
    const own = run.services.map((service) => [service, capOf(service)] as const)
    const caps = new Map(own.flatMap(([service, cap]) => (cap === undefined ? [] : [[service, cap]])))
    const others = own.flatMap(([service, cap]) => (cap === undefined ? [service] : []))
    if (caps.size === 0 || walks.size >= slots || signal.aborted) return
    const fetched = await jobs.fetch({ run: run.run, most: slots - walks.size, caps, others })
    for (const job of fetched) begin(job, site)
    // There may be more.
    isToAsk ||= fetched.length > 0
  }

  function begin(job: Job, site: RunSite): void {
    const walk: Walk = { job, abandon: new AbortController() }
    walks.add(walk)
    if (signal.aborted) walk.abandon.abort(stopping)
    walk.done = walkOnce(job, site, walk.abandon.signal).then(() => {
      walks.delete(walk)
      isToAsk = true
      wakeUp()
    })
  }

  /** Never rejects. */
  async function walkOnce(job: Job, site: RunSite, abandon: AbortSignal): Promise<void> {
    const { service } = job.data
    watch.begun(service, job.retryCount > 0)
    try {
      watch.ended(service, await walkJob(job, site, { ...dependencies, abandon }))
    } catch (error) {
      watch.failed(service, error)
      // Where this fails too, the job comes back when its heartbeat is missed.
      await jobs.fail(job).catch(() => {})
    }
  }

  async function nap(): Promise<void> {
    const rest = new AbortController()
    wakeUp = () => rest.abort()
    if (signal.aborted || isToAsk) return
    await clock.sleep(napMs, rest.signal).catch((error: unknown) => {
      if (!rest.signal.aborted) throw error
    })
  }
}

interface JobDependencies extends Pick<SlotDependencies, 'db' | 'jobs' | 'clock' | 'worker'> {
  /** Breaks the walk and its requests off. */
  readonly abandon: AbortSignal
}

/**
 * Walks the project of a job, and leaves its outcome together with the job.
 * @throws AuditError.failure when the server cannot be used
 */
async function walkJob(job: Job, site: RunSite, dependencies: JobDependencies): Promise<WalkResult> {
  const { db, jobs, worker, abandon } = dependencies
  const key = job.data
  if (job.retryCount >= mostTries) {
    const reason = new Error('its worker was lost three times')
    await giveUpTasks(db, key.run, reason, { projectId: key.projectId })
  }
  const task = await takeTask(db, key, worker)
  if (task === undefined) {
    await jobs.complete(job)
    return 'over'
  }
  const result = await walk(site.open(task.project), site, dependencies)
  if (result === undefined && abandon.reason !== stopping) return 'lost'
  return briefTransaction(db, async (transaction) => {
    if (!(await leaveTask(transaction, key, task.token, result))) return 'lost'
    // The job may be another worker's by now, which finds the task done.
    const isOwn = await jobs.complete(job, transaction)
    if (result !== undefined) return 'walked'
    if (isOwn) await jobs.send([key], transaction)
    return 'returned'
  })
}

/** undefined when it was broken off. */
async function walk(
  project: AuditedProject,
  { run: { run, terms }, open: _, signal, ...site }: RunSite,
  { abandon, db, clock }: JobDependencies,
): Promise<TaskResult | undefined> {
  const now = Date.parse(terms.startedAt)
  const draft = new SqlScanDraft(db, sqlReader(db), { run, ...terms })
  const evaluator = createEvaluator(site.policy, now, () => project.labels, clock.now)
  try {
    const signals = AbortSignal.any([signal, abandon])
    const outcome = await auditContained(project, { ...site, draft, evaluator, clock, now, signal: signals })
    return abandon.aborted ? undefined : { outcome, draft: await draft.exportProject(project.ref) }
  } catch (error) {
    if (abandon.aborted) return undefined
    throw error
  }
}
