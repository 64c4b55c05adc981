import type { NamedIdentity } from '../reader.ts'
import { compareText } from '../report-order.ts'
import { lastScanSql, validAtSql } from './fragments.ts'
import type { Session } from './session.ts'

interface EndpointRow {
  readonly uid: string
  readonly name: string
  readonly project: string
  readonly service: string
  readonly projectUid: string
}

/** Reads the endpoints of every project: a question of a person. */
export async function endpointsOf(session: Session, owner: string, run: number): Promise<NamedIdentity[]> {
  const rows = await session.all<EndpointRow>(
    `SELECT v.uid, v.name, l.name AS project, l.service, l.uid AS "projectUid"
     FROM (${lastScanSql('$2')}) l CROSS JOIN hookdrift.version v
     WHERE v.project_id = l.id AND v.kind = 'endpoint' AND ${validAtSql('v', '$2')} AND v.owner_id = $1`,
    [owner, run],
  )
  return rows
    .map(({ uid, name, project, service, projectUid }) => {
      return { project: { name: project, service, uid: projectUid }, kind: 'endpoint' as const, uid, name }
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || compareText(a.uid, b.uid))
}
