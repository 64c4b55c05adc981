import type { NamedIdentity } from '../reader.ts'
import { compareText } from '../report-order.ts'
import type { Session } from './connect.ts'
import { lastScanSql, validAtSql } from './sql-fragments.ts'

interface EndpointRow {
  readonly uid: string
  readonly name: string
  readonly project: string
  readonly service: string
  readonly projectUid: string
}

/** Reads the endpoints of every project: a question of a person. */
export async function endpointsOf(session: Session, owner: string, run: number): Promise<NamedIdentity[]> {
  // No text of PostgreSQL has this character, and no parameter may have it.
  if (owner.includes('\0')) return []
  const rows = await session.all<EndpointRow>(
    `SELECT v.uid, v.name, p.name AS project, p.service, p.uid AS "projectUid" FROM (${lastScanSql('$2')}) p
     JOIN hookdrift.version v ON v.project_id = p.id AND v.kind = 'endpoint' AND ${validAtSql('v', '$2')}
       AND v.owner_id = $1::text ORDER BY p.id`,
    [owner, run],
  )
  return rows
    .map(({ uid, name, project, service, projectUid }) => {
      return { project: { name: project, service, uid: projectUid }, kind: 'endpoint' as const, uid, name }
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || compareText(a.uid, b.uid))
}
