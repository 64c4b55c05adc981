import { type OutlineRow, toOutline } from '../choose-violations.ts'
import type { IdentifiedViolation, VisitChoice, VisitedViolation } from '../reader.ts'
import type { Session, Transaction } from './connect.ts'
import { ownerSql } from './owner-sql.ts'
import { lastScanSql } from './sql-fragments.ts'
import { activeAsOf, isResolvedSql, namedAt, stateSql } from './violations-at.ts'

type FoundRow = OutlineRow & Pick<VisitedViolation, 'project' | 'run' | 'firstSeen' | 'name' | 'message'>

export async function visitViolations(
  transaction: Transaction,
  choice: VisitChoice,
  visit: (violation: VisitedViolation) => void,
): Promise<void> {
  for await (const row of outlineRows(transaction, choice, true)) {
    const { id, project, name, message, run, state } = row
    visit({
      ...toOutline(row, project, row.firstSeen),
      ...{ id, name, message, run, isResolved: state === 'resolved' },
    })
  }
}

/** Of a project, in the order of its kinds, uids, rules and paths where that is asked for. */
export async function* outlineRows(transaction: Transaction, choice: VisitChoice, isOrdered = false) {
  for (const [sql, values] of outlines(choice)) {
    const ordered = isOrdered ? `SELECT * FROM (${sql}) o ORDER BY o.kind, o.uid, o.rule, o.path, o.id` : sql
    yield* transaction.iterate<FoundRow>(ordered, values)
  }
}

function outlines({ run, withActive, resolvedAfter, withOwner, withText }: VisitChoice): [string, number[]][] {
  const texts = withText ? 'x.name, x.message' : "'' AS name, '' AS message"
  const select = (columns: string, scan: string) => `SELECT x.id, x.kind, x.uid, x.rule, x.path, x.severity, x.waiver,
    coalesce(s.name, '') AS project, f.started_at AS "firstSeen", ${texts},
    ${withOwner ? ownerSql(scan) : 'NULL'} AS owner, ${columns}`
  const first = 'JOIN hookdrift.run f ON f.number = x.first_run'
  const active = activeAsOf(
    lastScanSql('$1'),
    (from) => `${select(`s.run, ${stateSql}`, 's.run')} FROM ${from} ${first}`,
  )
  const resolved = `${select("x.to_run AS run, 'resolved' AS state", 'x.to_run')} FROM ${namedAt('$2')} ${first}
    WHERE ${isResolvedSql('$1', '$2')}`
  return [
    ...(withActive ? [[active, [run]] satisfies [string, number[]]] : []),
    ...(resolvedAfter === undefined ? [] : [[resolved, [resolvedAfter, run]] satisfies [string, number[]]]),
  ]
}

/** Reads the range of an index: fingerprints are hex digits, and `~` follows them. */
export async function identifyViolations(
  session: Session,
  prefix: string,
  run: number,
  most: number,
): Promise<IdentifiedViolation[]> {
  const rows = await session.all<
    Pick<IdentifiedViolation, 'id' | 'fingerprint' | 'kind' | 'uid' | 'isResolved' | 'run'> &
      Record<'name' | 'service' | 'projectUid', string>
  >(
    `SELECT DISTINCT ON (x.fingerprint) x.id, x.fingerprint, x.kind, x.uid, s.name, s.service, s.uid AS "projectUid",
       coalesce(x.to_run <= $3, false) AS "isResolved", CASE WHEN x.to_run <= $3 THEN x.to_run ELSE s.run END AS run
     FROM hookdrift.violation x JOIN (${lastScanSql('$3')}) s ON s.id = x.project_id
     WHERE x.fingerprint >= $1::text AND x.fingerprint < $2::text AND x.from_run <= $3
     ORDER BY x.fingerprint, x.from_run DESC, x.id DESC LIMIT $4`,
    [prefix, `${prefix}~`, run, most],
  )
  return rows.map(({ name, service, projectUid, ...row }) => ({ ...row, project: { name, service, uid: projectUid } }))
}
