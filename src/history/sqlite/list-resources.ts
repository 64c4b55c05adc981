import type { Database } from 'better-sqlite3'
import type { Kind, ProjectRef } from '../../model/resource.ts'
import type { ListedResource, ResourceCount, ResourceListChoice } from '../resource-list.ts'
import { cachedStatement } from './cached-statement.ts'
import { runStarts } from './rows.ts'
import { findProject } from './scans-at.ts'

const isPresent = '(v.to_run IS NULL OR v.to_run > @run)'
/** The last version of a resource by the run, ended or not. */
const isLast = `NOT EXISTS (SELECT 1 FROM version w WHERE w.project_id = v.project_id AND w.kind = v.kind AND w.uid = v.uid
  AND w.from_run > v.from_run AND w.from_run <= @run)`

type Row = Pick<ListedResource, 'kind' | 'uid' | 'name' | 'removedBy'> & { readonly fromRun: number }

/** Goes along the index of resources from the place that is asked for: what lies before it costs nothing. */
export function listResources(db: Database, choice: ResourceListChoice): ListedResource[] {
  const { run, projects, kind, withRemoved, after, most } = choice
  const startOf = runStarts(db)
  const listed: ListedResource[] = []
  for (const [at, project] of projects.entries()) {
    const id = findProject(db, project)
    if (id === undefined || listed.length >= most) continue
    const from = at === 0 ? after : undefined
    const conditions = [
      ...(kind === undefined ? [] : ['v.kind = @kind']),
      ...(from === undefined ? [] : ['(v.kind, v.uid) > (@afterKind, @afterUid)']),
      withRemoved ? isLast : isPresent,
    ]
    const rows = cachedStatement<Record<string, string | number>, Row>(
      db,
      `SELECT v.kind, v.uid, v.name, v.from_run AS fromRun, CASE WHEN v.to_run <= @run THEN v.to_run END AS removedBy
         FROM version v WHERE v.project_id = @project AND v.from_run <= @run AND ${conditions.join(' AND ')}
         ORDER BY v.kind, v.uid LIMIT @most`,
    ).all({
      ...{ project: id, run, most: most - listed.length },
      ...(kind === undefined ? {} : { kind }),
      ...(from === undefined ? {} : { afterKind: from.kind, afterUid: from.uid }),
    })
    for (const { fromRun, ...row } of rows) listed.push({ project, ...row, since: startOf(fromRun) })
  }
  return listed
}

/** Reads the index of resources, and no row. */
export function countResources(db: Database, projects: readonly ProjectRef[], run: number): ResourceCount[] {
  const counting = cachedStatement<{ project: number; run: number }, { kind: Kind; resources: number }>(
    db,
    `SELECT v.kind, count(*) AS resources FROM version v
       WHERE v.project_id = @project AND v.from_run <= @run AND ${isPresent} GROUP BY v.kind`,
  )
  return projects.flatMap((project) => {
    const id = findProject(db, project)
    return id === undefined ? [] : counting.all({ project: id, run }).map((row) => ({ project, ...row }))
  })
}
