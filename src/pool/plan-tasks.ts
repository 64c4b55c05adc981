import type { AuditedProject } from '../audit/project-scan.ts'
import { beginBlocks } from '../history/draft/draft-ids.ts'
import { runColumns } from '../history/draft/drafted-rows.ts'
import type { RunDraft } from '../history/draft/run-draft.ts'
import type { PostgresDatabase, PostgresSession } from '../history/postgres/connect.ts'
import { projectIdsOf } from '../history/sql/project-ids.ts'
import { AuditError } from '../model/errors.ts'
import { briefTransaction } from './brief-transaction.ts'
import { type Jobs, walkQueue } from './jobs.ts'
import { type RunPlan, writePlan } from './runs.ts'
import { insertTasks, plannedProject, removeRows, type TaskKey, type WalkOptions } from './tasks.ts'

interface TaskPlanner {
  readonly db: PostgresDatabase
  readonly jobs: { makeQueues(services: readonly string[]): Promise<void> } & Pick<Jobs, 'send'>
  readonly draft: Pick<RunDraft, 'run' | 'token'>
  /** Of the request. */
  readonly id: string
}

/** Tables whose rows a conclusion may add, in projects of tasks too. */
const counted = ['version', 'violation', 'change'] as const

/**
 * Plans a run that has begun: a task and a job for each project, in one transaction. Returns the ids of the projects'
 * rows, in the order of the projects.
 * @throws AuditError.busy when the lease was lost
 */
export async function planTasks(
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
    await beginBlocks(transaction)
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

/** Notes where the ids of rows begin that the coordinator writes itself. */
export async function noteConcluding(
  db: PostgresDatabase,
  { id, draft }: Pick<TaskPlanner, 'id' | 'draft'>,
): Promise<void> {
  await briefTransaction(db, async (transaction) => {
    await requireLease(transaction, draft)
    await transaction.run(
      `UPDATE hookdrift.run_plan SET concluding = (SELECT json_object_agg(name, next) FROM hookdrift.id_block)::text
       WHERE id = $1 AND concluding IS NULL`,
      [id],
    )
  })
}

/** Removes what a coordinator that was lost wrote of a run: its conclusion, and what no task is about. */
export async function removeConclusion(
  db: PostgresDatabase,
  { draft }: Pick<TaskPlanner, 'draft'>,
  concluding: Readonly<Record<string, number>> | undefined,
): Promise<void> {
  const { run } = draft
  await briefTransaction(db, async (transaction) => {
    await requireLease(transaction, draft)
    for (const table of concluding === undefined ? [] : counted) {
      await transaction.run(`DELETE FROM hookdrift.${table} WHERE ${runColumns[table]} = $1 AND id >= $2`, [
        run,
        concluding?.[table] ?? 0,
      ])
    }
    const others = await transaction.all<{ id: number }>(
      'SELECT id FROM hookdrift.project WHERE id NOT IN (SELECT project_id FROM hookdrift.task WHERE run = $1)',
      [run],
    )
    await removeRows(
      transaction,
      run,
      others.map(({ id }) => id),
    )
  })
}
