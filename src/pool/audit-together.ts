import { type Audit, type AuditDependencies, conductRun, runAudit } from '../audit/run-audit.ts'
import type { PostgresDatabase } from '../history/postgres/connect.ts'
import { AuditError } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { type Clock, isoTime } from '../model/time.ts'
import { auditByPool, HandedOver, type PoolRun } from './audit-by-pool.ts'
import type { RunDrafts, SharedRunDraft } from './drafts.ts'
import type { OpenJobs } from './jobs.ts'
import { noteConcluding, planTasks, removeConclusion } from './plan-tasks.ts'
import type { RequestedRun, RunPlan } from './runs.ts'
import { readProjects, type WalkOptions } from './tasks.ts'

export interface RunCoordination {
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
  const { id, drafts, onBegun } = coordinating
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
      return poolOf(planned, { projectIds, options, id })(audit, run)
    }),
  )
}

/** Goes on with a run that another process began: `audit` has the projects of its tasks, in their order. Returns and throws as `auditTogether`. */
export async function goOnTogether(
  audit: Audit,
  { run, startedAt, concluding, options }: RequestedRun & { readonly options: WalkOptions },
  coordinating: RunCoordination,
  dependencies: AuditDependencies,
): Promise<Report> {
  const { db, drafts, id, onBegun } = coordinating
  if (run === null || startedAt === null) throw new Error('a run is adopted that was not begun')
  const draft = await drafts.adopt(run)
  onBegun?.(run)
  return leavingBehind({ clock: dependencies.clock, held: () => draft }, async () => {
    const planned = { ...coordinating, draft }
    await removeConclusion(db, planned, concluding)
    const tasks = await readProjects(db, run)
    const projectIds = tasks.map(({ projectId }) => projectId)
    const auditAll = poolOf(planned, { projectIds, options, id })
    const begun = { draft: draft, startedAt }
    return conductRun(audit, dependencies, begun, auditAll)
  })
}

function poolOf(
  coordinating: RunCoordination & { readonly draft: SharedRunDraft },
  {
    projectIds,
    options,
    id,
  }: { readonly projectIds: readonly number[]; readonly options: WalkOptions; readonly id: string },
) {
  const onConcluding = () => noteConcluding(coordinating.db, { id, draft: coordinating.draft })
  return auditByPool({ ...coordinating, projectIds, onConcluding, runTimeoutMs: options.runTimeoutMs })
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
