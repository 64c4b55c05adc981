import type { ProjectRef } from '../../model/resource.ts'
import type { Session } from './connect.ts'

type ProjectKey = Pick<ProjectRef, 'service' | 'uid'>

/** The ids of projects' rows, in their order; missing rows are inserted. Within a transaction that has the lease locked. */
export async function projectIdsOf(session: Session, projects: readonly ProjectKey[]): Promise<readonly number[]> {
  const keys = [projects.map(({ service }) => service), projects.map(({ uid }) => uid)]
  await session.run(
    `INSERT INTO hookdrift.project (id, service, uid)
     SELECT (SELECT coalesce(max(id), 0) FROM hookdrift.project) + row_number() OVER (ORDER BY min(k.at)), k.service, k.uid
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (service, uid, at)
     WHERE NOT EXISTS (SELECT 1 FROM hookdrift.project p WHERE ${isSameProject}) GROUP BY k.service, k.uid`,
    keys,
  )
  const rows = await session.all<{ id: number }>(
    `SELECT p.id FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (service, uid, at)
     JOIN hookdrift.project p ON ${isSameProject} ORDER BY k.at`,
    keys,
  )
  return rows.map(({ id }) => id)
}

export const isSameProject = 'p.service = k.service AND p.uid = k.uid'
