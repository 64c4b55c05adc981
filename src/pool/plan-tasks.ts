import type { AuditedProject } from '../audit/project-scan.ts'
import type { PostgresDatabase, Session } from '../history/postgres/connect.ts'
import { AuditError } from '../model/errors.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { RunDraft } from './drafts.ts'
import { type Jobs, walkQueue } from './jobs.ts'
import { type RunPlan, writePlan } from './runs.ts'
import { insertTasks, plannedProject, removeRows, type TaskKey, type WalkOptions } from './tasks.ts'

interface Planning {
  readonly db: PostgresDatabase
  readonly jobs: { makeQueues(services: readonly string[]): Promise<void> } & Pick<Jobs, 'send'>
  readonly draft: Pick<RunDraft, 'run' | 'token'>
  /** Of the request. */
  readonly id: string
}

/** Tables whose rows workers give ids. */
const counted = ['version', 'violation', 'change'] as const

/**
 * Plans a run that has begun: a task and a job for each project, in one transaction. Returns the ids of the projects'
 * rows, in the order of the projects.
 * @throws AuditError.busy when the lease was lost
 */
export async function planTasks(
  { db, jobs, draft, id }: Planning,
  projects: readonly AuditedProject[],
  { plan, options }: { readonly plan: RunPlan; readonly options: WalkOptions },
): Promise<readonly number[]> {
  const { run } = draft
  const services = [...new Set(projects.map(({ ref }) => ref.service))]
  await jobs.makeQueues(services)
  return db.transaction(async (transaction) => {
    await requireLease(transaction, draft)
    await transaction.run('DELETE FROM hookdrift.task WHERE run <> $1', [run])
    await writePlan(transaction, id, { run, plan, options })
    const ids = await idsOf(
      transaction,
      projects.map(({ ref }) => ref),
    )
    const tasks = projects.map((project, at) => ({ projectId: ids[at] ?? 0, project: plannedProject(project) }))
    await insertTasks(transaction, run, tasks)
    for (const table of counted) {
      await transaction.run(
        `INSERT INTO hookdrift.id_block (name, next) SELECT $1, coalesce(max(id), 0) + 1 FROM hookdrift.${table}
         ON CONFLICT (name) DO UPDATE SET next = excluded.next`,
        [table],
      )
    }
    for (const [service, own] of Map.groupBy(tasks, ({ project }) => project.ref.service)) {
      const keys = own.map(({ projectId }): TaskKey => ({ run, projectId, service }))
      await jobs.send(walkQueue(service), keys, {}, transaction)
    }
    return ids
  })
}

/** @throws AuditError.busy when another process owns the lease */
async function requireLease(session: Session, { run, token }: Planning['draft']): Promise<void> {
  const isOwn = await session.get('SELECT 1 FROM hookdrift.lease WHERE token = $1 FOR SHARE', [token])
  if (isOwn === undefined) throw AuditError.busy(`run ${run} no longer owns the lease`)
}

/** The ids of projects' rows, which are made where they are missing: only the owner of the lease does. */
async function idsOf(session: Session, projects: readonly ProjectRef[]): Promise<readonly number[]> {
  const values = [projects.map(({ service }) => service), projects.map(({ uid }) => uid)]
  const wanted = 'unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (service, uid, place)'
  const matches = 'md5(p.service) = md5(w.service) AND md5(p.uid) = md5(w.uid)'
  await session.run(
    `INSERT INTO hookdrift.project (id, service, uid)
     SELECT (SELECT coalesce(max(id), 0) FROM hookdrift.project) + row_number() OVER (ORDER BY w.place), w.service, w.uid
     FROM ${wanted} WHERE NOT EXISTS (SELECT 1 FROM hookdrift.project p WHERE ${matches})`,
    values,
  )
  const rows = await session.all<{ id: number }>(
    `SELECT p.id FROM ${wanted} JOIN hookdrift.project p ON ${matches} ORDER BY w.place`,
    values,
  )
  return rows.map(({ id }) => id)
}

/** Notes where the ids of rows begin that the coordinator writes itself. */
export async function noteConcluding(
  db: PostgresDatabase,
  { id, draft }: Pick<Planning, 'id' | 'draft'>,
): Promise<void> {
  await db.transaction(async (transaction) => {
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
  { draft }: Pick<Planning, 'draft'>,
  concluding: Readonly<Record<string, number>> | undefined,
): Promise<void> {
  const { run } = draft
  await db.transaction(async (transaction) => {
    await requireLease(transaction, draft)
    const column = { version: 'from_run', violation: 'from_run', change: 'run' } as const
    for (const table of concluding === undefined ? [] : counted) {
      await transaction.run(`DELETE FROM hookdrift.${table} WHERE ${column[table]} = $1 AND id >= $2`, [
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
