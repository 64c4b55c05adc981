import { type ProjectRef, projectKey } from '../../model/resource.ts'
import type { Session, Transaction } from './session.ts'

type ProjectKey = Pick<ProjectRef, 'service' | 'uid'>

/** The ids of the rows that projects have, by `projectKey`. */
export async function knownProjectIds(session: Session, projects: readonly ProjectKey[]): Promise<Map<string, number>> {
  const rows = await session.all<ProjectKey & { readonly id: number }>(
    'SELECT id, service, uid FROM hookdrift.project WHERE service = ANY($1) AND uid = ANY($2)',
    [[...new Set(projects.map(({ service }) => service))], projects.map(({ uid }) => uid)],
  )
  const wanted = new Set(projects.map(projectKey))
  return new Map(rows.map((row) => [projectKey(row), row.id] as const).filter(([key]) => wanted.has(key)))
}

/** The ids of projects' rows, in their order; missing rows are inserted. No other process may insert any meanwhile. */
export async function projectIdsOf(
  transaction: Transaction,
  projects: readonly ProjectKey[],
): Promise<readonly number[]> {
  const ids = await knownProjectIds(transaction, projects)
  const missing = projects.filter((project) => !ids.has(projectKey(project)))
  if (missing.length > 0) {
    let last = (await transaction.value<number>('SELECT coalesce(max(id), 0) FROM hookdrift.project')) ?? 0
    const inserted = [...new Map(missing.map((project) => [projectKey(project), project]))]
    for (const [key] of inserted) {
      last += 1
      ids.set(key, last)
    }
    const rowOf = ([key, { service, uid }]: [string, ProjectKey]) => [ids.get(key) ?? null, service, uid]
    await transaction.insert('project', ['id', 'service', 'uid'], inserted.map(rowOf))
  }
  return projects.map((project) => ids.get(projectKey(project)) ?? 0)
}
