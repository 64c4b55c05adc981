import type {
  FoundViolation,
  IdentifiedViolation,
  ResolvedViolation,
  VisitChoice,
  VisitedViolation,
} from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { lastScanSql } from './fragments.ts'
import { lastScansAt } from './scans.ts'
import { type Session, sqlOf, type Transaction } from './session.ts'
import {
  activeAsOf,
  activeSql,
  endedBetween,
  isResolvedSql,
  ownerSql,
  projectNamesAt,
  type ResolvedRow,
  resolvedSql,
  type StoredViolationRow,
  startsOfRuns,
  stateSql,
  toResolved,
  toViolation,
} from './violations.ts'

export async function visitViolations(
  transaction: Transaction,
  choice: VisitChoice,
  visit: (violation: VisitedViolation) => void,
): Promise<void> {
  const { run, withActive, resolvedAfter } = choice
  const nameOf = await projectNamesAt(transaction, run)
  const startOf = await startsOfRuns(transaction, run)
  const pass = ({ projectId, firstRun, waiver, ...row }: OutlineRow) =>
    visit({
      ...row,
      ...(waiver === null ? {} : { waiver }),
      project: nameOf(projectId),
      firstSeen: startOf(firstRun),
      isResolved: row.state === 'resolved',
    })
  if (withActive) await transaction.each(activeOutlines(transaction, choice), [run], pass)
  if (resolvedAfter !== undefined) {
    await transaction.each(resolvedOutlines(transaction, choice), [resolvedAfter, run], pass)
  }
}

export async function foundViolations(
  session: Session,
  asked: readonly FoundViolation[],
): Promise<(RecordedViolation | ResolvedViolation)[]> {
  const nameOf = () => ''
  const rows = new Map<number, RecordedViolation | ResolvedViolation>()
  const resolved = asked.filter(({ isResolved }) => isResolved)
  const active = asked.filter(({ isResolved }) => !isResolved)
  if (active.length > 0) {
    const places = JSON.stringify(active.map(({ id, run }) => [id, run]))
    const from = `${placesSql(session)} s CROSS JOIN hookdrift.violation x`
    // Both conditions, or PostgreSQL might read all violations.
    const sql = `${activeSql(from)} WHERE x.id = s.id AND x.id = ANY($2)`
    const found = await session.all<StoredViolationRow>(sql, [places, active.map(({ id }) => id)])
    for (const row of found) rows.set(row.id, toViolation(row, nameOf))
  }
  if (resolved.length > 0) {
    const sql = `${resolvedSql} WHERE x.id = ANY($1)`
    const found = await session.all<ResolvedRow>(sql, [resolved.map(({ id }) => id)])
    for (const row of found) rows.set(row.id, toResolved(row, nameOf))
  }
  return asked.flatMap(({ id, project }) => {
    const row = rows.get(id)
    return row === undefined ? [] : [{ ...row, project }]
  })
}

type IdentifiedRow = Pick<IdentifiedViolation, 'id' | 'fingerprint' | 'kind' | 'uid'> & {
  readonly projectId: number
  readonly toRun: number | null
}

/** Reads the range of an index: fingerprints are hex digits, and `~` follows them. */
export async function identifyViolations(
  session: Session,
  prefix: string,
  run: number,
  most: number,
): Promise<IdentifiedViolation[]> {
  const scans = new Map((await lastScansAt(session, run)).map((scan) => [scan.id, scan]))
  const rows = await session.all<IdentifiedRow>(
    `SELECT x.id, x.fingerprint, x.kind, x.uid, x.project_id AS "projectId", x.to_run AS "toRun"
     FROM hookdrift.violation x WHERE x.id IN (SELECT max(v.id) FROM hookdrift.violation v
       WHERE v.fingerprint >= $1::text AND v.fingerprint < $2::text AND v.from_run <= $3
       GROUP BY v.fingerprint ORDER BY v.fingerprint LIMIT $4)
     ORDER BY x.fingerprint`,
    [prefix, `${prefix}~`, run, most],
  )
  return rows.flatMap(({ projectId, toRun, ...row }) => {
    const scan = scans.get(projectId)
    if (scan === undefined) return []
    const { name, service, uid } = scan
    const isResolved = toRun !== null && toRun <= run
    return [{ ...row, project: { name, service, uid }, isResolved, run: isResolved ? toRun : scan.run }]
  })
}

interface OutlineRow extends Omit<VisitedViolation, 'project' | 'firstSeen' | 'waiver' | 'isResolved'> {
  readonly projectId: number
  readonly firstRun: number
  readonly waiver: string | null
}

function activeOutlines(session: Session, choice: VisitChoice): string {
  const columns = outlineColumns(choice, 's.run')
  const place = { scans: lastScanSql('$1'), isWhole: choice.withText }
  const sql = activeAsOf(session, place, (from) => `SELECT ${columns}, s.run, ${stateSql} FROM ${from}`)
  // By the columns of the index, so that SQLite need not sort.
  return `${sql} ORDER BY 1, 2, 3, 4, 5`
}

function resolvedOutlines(session: Session, choice: VisitChoice): string {
  // All of them are read in the order of the table: the index on their ends would find a million one by one.
  const how = sqlOf(session, { sqlite: choice.resolvedAfter === 0 ? 'NOT INDEXED' : '', postgres: '' })
  return `SELECT ${outlineColumns(choice, 'x.to_run')}, x.to_run AS run, 'resolved' AS state
    FROM hookdrift.violation x ${how} WHERE ${isResolvedSql(session, endedBetween)} ORDER BY 1, 2, 3, 4, 5, x.id`
}

function outlineColumns({ withOwner, withText }: VisitChoice, run: string): string {
  return `x.project_id AS "projectId", x.kind, x.uid, x.rule, x.path, x.id, x.severity, x.first_run AS "firstRun",
    x.waiver, ${withOwner ? ownerSql(run) : 'NULL'} AS owner, ${withText ? 'x.name, x.message' : "'' AS name, '' AS message"}`
}

/** SQL of a table of violations (id) and the scans (run) that they are as of, from `$1`: pairs of them as JSON. */
function placesSql(session: Session): string {
  const each = sqlOf(session, { sqlite: 'json_each($1)', postgres: 'jsonb_array_elements($1::jsonb)' })
  return `(SELECT (p.value ->> 0)::bigint AS id, (p.value ->> 1)::bigint AS run FROM ${each} p)`
}
