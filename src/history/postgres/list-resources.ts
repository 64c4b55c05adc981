import type { Kind, ProjectRef } from '../../model/resource.ts'
import type { ListedResource, ResourceCount, ResourceListChoice } from '../resource-list.ts'
import type { SqlValue } from '../sql/session.ts'
import type { Session } from './connect.ts'
import { isProjectSql, projectIdSql, validAtSql } from './sql-fragments.ts'

/** The last version of a resource by the run, ended or not. */
const isLast = `NOT EXISTS (SELECT 1 FROM hookdrift.version w WHERE w.project_id = v.project_id AND w.kind = v.kind
  AND w.uid = v.uid AND w.from_run > v.from_run AND w.from_run <= $3)`

/** Goes along the index of resources from the place that is asked for: what lies before it costs nothing. */
export async function listResources(session: Session, choice: ResourceListChoice): Promise<ListedResource[]> {
  const listed: ListedResource[] = []
  for (const [at, project] of choice.projects.entries()) {
    if (listed.length >= choice.most) break
    const after = at === 0 ? choice.after : undefined
    const rows = await readProject(session, project, { ...choice, after, most: choice.most - listed.length })
    for (const row of rows) listed.push({ project, ...row })
  }
  return listed
}

function readProject(
  session: Session,
  { service, uid }: ProjectRef,
  { run, kind, withRemoved, after, most }: ResourceListChoice,
): Promise<Omit<ListedResource, 'project'>[]> {
  const values: SqlValue[] = [service, uid, run]
  const bind = (value: SqlValue) => `$${values.push(value)}`
  const conditions = [withRemoved ? isLast : validAtSql('v', '$3')]
  if (kind !== undefined) conditions.push(`v.kind = ${bind(kind)}`)
  if (after !== undefined) {
    conditions.push(`(v.kind, v.uid) > (${bind(after.kind)}, ${bind(after.uid)})`)
  }
  return session.all(
    `SELECT l.kind, l.uid, l.name, r.started_at AS since, l."removedBy" FROM (
       SELECT v.kind, v.uid, v.name, v.from_run, CASE WHEN v.to_run <= $3 THEN v.to_run END AS "removedBy"
       FROM hookdrift.version v
       WHERE v.project_id = ${projectIdSql('$1', '$2')} AND v.from_run <= $3 AND ${conditions.join(' AND ')}
       ORDER BY v.kind, v.uid LIMIT ${bind(most)}) l
     JOIN hookdrift.run r ON r.number = l.from_run ORDER BY l.kind, l.uid`,
    values,
  )
}

/** Reads the index of resources, and no row. */
export async function countResources(
  session: Session,
  projects: readonly ProjectRef[],
  run: number,
): Promise<ResourceCount[]> {
  const rows = await session.all<{ at: number; kind: Kind; resources: number }>(
    `SELECT a.at, c.kind, c.resources FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS a (service, uid, at)
     JOIN hookdrift.project p ON ${isProjectSql('p', 'a.service', 'a.uid')}
     CROSS JOIN LATERAL (SELECT v.kind, count(*) AS resources FROM hookdrift.version v
       WHERE v.project_id = p.id AND ${validAtSql('v', '$1')} GROUP BY v.kind) c ORDER BY a.at, c.kind`,
    [run, projects.map(({ service }) => service), projects.map(({ uid }) => uid)],
  )
  return rows.flatMap(({ at, kind, resources }) => {
    const project = projects[at - 1]
    return project === undefined ? [] : [{ project, kind, resources }]
  })
}
