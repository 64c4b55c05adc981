import type { HistoryReader } from '../reader.ts'
import { compareText } from '../report-order.ts'
import { lastScanSql, validAtSql } from './fragments.ts'
import type { NamedIdentity } from './resource-life.ts'

interface EndpointRow {
  readonly uid: string
  readonly name: string
  readonly project: string
  readonly service: string
  readonly projectUid: string
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
    .filter(({ project }) => history.visibility.isVisible(project))
    .map(({ uid, name, project, service, projectUid }) => {
      return { project: { name: project, service, uid: projectUid }, kind: 'endpoint' as const, uid, name }
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || compareText(a.uid, b.uid))
}
