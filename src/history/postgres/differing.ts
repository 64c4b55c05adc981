import type { Kind } from '../../model/resource.ts'
import { pairNeighbours, pairVersions } from '../pair-versions.ts'
import type { Differing, EvaluableVersion } from '../reader.ts'
import type { Session, Transaction } from './connect.ts'
import { lastScanSql } from './sql-fragments.ts'
import { versionColumns } from './state-at.ts'

type SideRow = EvaluableVersion & {
  readonly isAfter: boolean
  readonly kind: Kind
  readonly uid: string
  readonly projectId: number
  readonly project: string
  readonly service: string
  readonly projectUid: string
}

const side = (isAfter: boolean, condition: string) => `SELECT ${isAfter} AS "isAfter", ${versionColumns}, v.facts,
    p.id AS "projectId", p.name AS project, p.service, p.uid AS "projectUid"
  FROM hookdrift.version v JOIN scanned p ON p.id = v.project_id JOIN hookdrift.run r ON r.number = v.from_run
  WHERE ${condition}`

/**
 * What was replaced or ended after `from`, and what was written instead by `to`. Found by the starts and ends of
 * versions, so the cost grows only with the changes between the two.
 */
const sidesSql = `WITH scanned AS MATERIALIZED (${lastScanSql('$2')})
  ${side(false, 'v.to_run > $1 AND v.to_run <= $2 AND v.from_run <= $1')}
  UNION ALL ${side(true, 'v.from_run > $1 AND v.from_run <= $2 AND (v.to_run IS NULL OR v.to_run > $2)')}`

export async function differing(session: Session, from: number, to: number): Promise<Differing[]> {
  const pairs = pairVersions()
  for (const row of await session.all<SideRow>(sidesSql, [from, to])) addSide(row, pairs)
  return pairs.differing()
}

/** The server sorts them, in a file where they are many. */
export async function visitDiffering(
  transaction: Transaction,
  from: number,
  to: number,
  visit: (pair: Differing) => void,
): Promise<void> {
  const pairs = pairNeighbours(visit)
  const sql = `${sidesSql} ORDER BY "projectId", kind, uid`
  for await (const row of transaction.iterate<SideRow>(sql, [from, to])) addSide(row, pairs)
  pairs.end()
}

function addSide(
  { isAfter, kind, uid, projectId, project, service, projectUid, ...version }: SideRow,
  pairs: Pick<ReturnType<typeof pairVersions>, 'add'>,
): void {
  const identity = { project: { name: project, service, uid: projectUid }, kind, uid }
  pairs.add(isAfter ? 'after' : 'before', projectId, identity, version)
}
