import { type Kind, kinds, type ProjectRef, projectKey } from '../../model/resource.ts'
import type { HistoryReader } from '../reader.ts'
import { compareText } from '../report-order.ts'
import type { ListedResource, ResourceCount, ResourceListChoice } from '../resource-list.ts'
import { isLastSql, lastScanSql, projectIdSql, validAtSql } from './fragments.ts'
import type { NamedIdentity } from './resource-life.ts'
import type { Session, SqlValue } from './session.ts'

/**
 * Some resources as of a run, without their attributes: what is not returned is not held. Goes along the index of
 * resources from the one after which the page begins: those before it cost nothing.
 */
export function listResources(history: HistoryReader, choice: ResourceListChoice): Promise<readonly ListedResource[]> {
  return history.snapshot(async (session) => {
    const listed: ListedResource[] = []
    for (const [at, project] of choice.projects.entries()) {
      if (listed.length >= choice.most) break
      const after = at === 0 ? choice.after : undefined
      const rows = await readProject(session, project, { ...choice, after, most: choice.most - listed.length })
      for (const row of rows) listed.push({ project, ...row })
    }
    return listed
  })
}

function readProject(
  session: Session,
  { service, uid }: ProjectRef,
  { run, kind, withRemoved, after, most }: ResourceListChoice,
): Promise<Omit<ListedResource, 'project'>[]> {
  const values: SqlValue[] = [service, uid, run]
  const bind = (value: SqlValue) => `$${values.push(value)}`
  const conditions = [withRemoved ? isLastSql('v', '$3') : validAtSql('v', '$3')]
  if (kind !== undefined) conditions.push(`v.kind = ${bind(kind)}`)
  if (after !== undefined) conditions.push(`(v.kind, v.uid) > (${bind(after.kind)}, ${bind(after.uid)})`)
  return session.all(
    `SELECT v.kind, v.uid, v.name, (SELECT started_at FROM hookdrift.run WHERE number = v.from_run) AS since,
       CASE WHEN v.to_run <= $3 THEN v.to_run END AS "removedBy"
     FROM hookdrift.version v WHERE v.project_id = ${projectIdSql('$1', '$2')} AND ${conditions.join(' AND ')}
     ORDER BY v.kind, v.uid LIMIT ${bind(most)}`,
    values,
  )
}

type CountsRow = Pick<ProjectRef, 'service' | 'uid'> & Readonly<Record<Kind, number>>

/**
 * How many resources of each kind projects have as of a run; without those that they have none of. Reads the index of
 * resources, and no row.
 */
export async function countResources(
  history: HistoryReader,
  projects: readonly ProjectRef[],
  run: number,
): Promise<readonly ResourceCount[]> {
  const counts = countedKinds.map(
    (kind) => `(SELECT count(*) FROM hookdrift.version v WHERE v.project_id = p.id AND v.kind = '${kind}'
      AND ${validAtSql('v', '$1')}) AS "${kind}"`,
  )
  const rows = await history.ask((session) =>
    session.all<CountsRow>(
      `SELECT p.service, p.uid, ${counts.join(', ')} FROM hookdrift.project p
       WHERE p.service = ANY($2) AND p.uid = ANY($3)`,
      [run, [...new Set(projects.map(({ service }) => service))], projects.map(({ uid }) => uid)],
    ),
  )
  const countsOf = new Map(rows.map((row) => [projectKey(row), row]))
  return projects.flatMap((project) => {
    const counted = countsOf.get(projectKey(project))
    return countedKinds.flatMap((kind) => {
      const resources = counted?.[kind] ?? 0
      return resources === 0 ? [] : [{ project, kind, resources }]
    })
  })
}

/**
 * The endpoints whose `owner_id` a text is as of a run; by project, then by uid. Reads the endpoints of every project: a
 * question of a person.
 */
export async function findEndpointsOf(
  history: HistoryReader,
  owner: string,
  run: number,
): Promise<readonly NamedIdentity[]> {
  const rows = await history.ask((session) =>
    session.all<EndpointRow>(
      `SELECT v.uid, v.name, l.name AS project, l.service, l.uid AS "projectUid"
       FROM (${lastScanSql('$2')}) l CROSS JOIN hookdrift.version v
       WHERE v.project_id = l.id AND v.kind = 'endpoint' AND ${validAtSql('v', '$2')} AND v.owner_id = $1`,
      [owner, run],
    ),
  )
  return rows
    .map(({ uid, name, project, service, projectUid }) => {
      return { project: { name: project, service, uid: projectUid }, kind: 'endpoint' as const, uid, name }
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || compareText(a.uid, b.uid))
}

/** Whose endpoints there are as of a run: each `owner_id` once. Reads the endpoints of every project. */
export function listOwners(history: HistoryReader, run: number): Promise<readonly string[]> {
  return history.ask((session) =>
    session.column<string>(
      `SELECT DISTINCT v.owner_id
       FROM (${lastScanSql('$1')}) l CROSS JOIN hookdrift.version v
       WHERE v.project_id = l.id AND v.kind = 'endpoint' AND ${validAtSql('v', '$1')} AND v.owner_id <> ''`,
      [run],
    ),
  )
}

// A service has no version, and its name would hide that of a column.
const countedKinds = kinds.filter((kind) => kind !== 'service').toSorted()

interface EndpointRow {
  readonly uid: string
  readonly name: string
  readonly project: string
  readonly service: string
  readonly projectUid: string
}
