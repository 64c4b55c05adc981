import type { Severity, Waiver } from '../../model/violation.ts'
import type { HistoryReader } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { inReportOrder } from '../report-order.ts'
import { damagedHistory } from '../stored-body.ts'
import { type RecordedRow, toRecordedViolation, waiverOf } from '../stored-violation.ts'
import { lastScanSql, validAtSql } from './fragments.ts'
import { lastScansAt } from './scans.ts'
import { type Session, sqlOf, type Transaction } from './session.ts'

export interface ResolvedViolation extends RecordedViolation {
  readonly resolved_run: number
  /** Start of that run. */
  readonly resolved_at: string
}

export interface WaivedViolation {
  readonly fingerprint: string
  readonly rule: string
  readonly waiver: Waiver
}

/** A violation with the ids of its row and of its project. */
export type StoredViolationRow = Omit<RecordedRow, 'project'> & { readonly id: number; readonly projectId: number }
export type ResolvedRow = StoredViolationRow & Pick<ResolvedViolation, 'resolved_run' | 'resolved_at'>

const columns = `x.id, x.project_id AS "projectId", x.fingerprint, x.rule, x.severity, x.kind, x.uid, x.name, x.path,
  x.message, f.started_at AS first_seen, l.started_at AS last_seen, x.waiver`

/** SQL: what an active `violation x` is called as of scan `s`. */
export const stateSql =
  "CASE WHEN x.state <> 'open' THEN x.state WHEN x.first_run = s.run THEN 'opened' ELSE 'continuing' END"

/**
 * SQL for the `owner_id` of the resource of `violation x` as of a run: of an endpoint, or of a subscription's endpoint.
 * NULL for all else. One or two lookups in the index of versions.
 */
export function ownerSql(run: string): string {
  const endpointOf = (uid: string) =>
    `(SELECT own.owner_id FROM hookdrift.version own WHERE own.project_id = x.project_id AND own.kind = 'endpoint'
      AND own.uid = ${uid} AND ${validAtSql('own', run)} LIMIT 1)`
  return `CASE x.kind WHEN 'endpoint' THEN ${endpointOf('x.uid')} WHEN 'subscription' THEN ${endpointOf(
    `(SELECT sub.endpoint_uid FROM hookdrift.version sub WHERE sub.project_id = x.project_id
      AND sub.kind = 'subscription' AND sub.uid = x.uid AND ${validAtSql('sub', run)} LIMIT 1)`,
  )} END`
}

/** The same of a `change x`. A removed resource has its last owner. */
export const ownerOfChange = ownerSql("(x.run - CASE x.change WHEN 'removed' THEN 1 ELSE 0 END)")

/** SQL for violations as of the scans of their projects. `from` is SQL of `s` (run) and `violation x`. */
export function activeSql(from: string): string {
  return `SELECT ${columns}, ${ownerSql('s.run')} AS owner, ${stateSql} AS state, NULL AS resolution, NULL AS ended_by
    FROM ${from} LEFT JOIN hookdrift.run f ON f.number = x.first_run
    LEFT JOIN hookdrift.run l ON l.number = coalesce(x.last_run, s.run)`
}

/** A condition on a row of violations of that name, and on its scan `s`. */
type RowCondition = (row: string) => string

/**
 * SQL of the scans that `scans` selects (id of the project, run) as `s`, each with those violations of its project that a
 * condition holds for as `x`. Both databases are kept to that order: a plan that begins with all violations would cost
 * more with each run.
 */
function violationsOfScans(session: Session, scans: string, condition: RowCondition): string {
  const isMeant = (row: string) => `${row}.project_id = s.id AND ${condition(row)}`
  return sqlOf(session, {
    sqlite: `(${scans}) s CROSS JOIN hookdrift.violation x ON ${isMeant('x')}`,
    postgres: `(${scans}) s CROSS JOIN LATERAL (SELECT * FROM hookdrift.violation x WHERE ${isMeant('x')} OFFSET 0) x`,
  })
}

/** The same where columns are read that the index on active violations lacks. */
function wholeViolationsOfScans(session: Session, scans: string, condition: RowCondition): string {
  // SQLite takes that index only for what it has, and else one that has the ended ones, too.
  const matches = `(${scans}) s CROSS JOIN hookdrift.violation i CROSS JOIN hookdrift.violation x
    ON i.project_id = s.id AND ${condition('i')} AND x.id = i.id`
  return sqlOf(session, { sqlite: matches, postgres: violationsOfScans(session, scans, condition) })
}

const isWithoutEnd: RowCondition = (row) => `${row}.to_run IS NULL`
const endedLater: RowCondition = (row) => `${row}.to_run > s.run`

/**
 * SQL for the violations that are active as of the scans that `scans` selects. Two statements, because the indexes find
 * rows without an end by project, and ended rows by their end. `isWhole`: whether columns are read that the index on
 * active violations lacks.
 */
export function activeAsOf(
  session: Session,
  { scans, isWhole, also }: ActiveScope,
  statement: (from: string) => string,
): string {
  const of = isWhole ? wholeViolationsOfScans : violationsOfScans
  const more = (row: string) => (also === undefined ? '' : ` AND ${also(row)}`)
  return [isWithoutEnd, endedLater]
    .map((end) => statement(of(session, scans, (row) => `${row}.from_run <= s.run AND ${end(row)}${more(row)}`)))
    .join(' UNION ALL ')
}

export interface ActiveScope {
  readonly scans: string
  readonly isWhole: boolean
  /** A further condition that the index on active violations decides. */
  readonly also?: RowCondition
}

/** SQL for the run as of which the resource of an ended `violation x` had its owner: one that is removed has none. */
export const ownedIn = "(x.to_run - CASE x.resolution WHEN 'removed' THEN 1 ELSE 0 END)"

/** SQL for violations that ended, as of the run that ended them. */
export const resolvedSql = `SELECT ${columns}, ${ownerSql(ownedIn)} AS owner, 'resolved' AS state, x.to_run AS resolved_run,
    r.started_at AS resolved_at, x.resolution, x.ended_by
  FROM hookdrift.violation x LEFT JOIN hookdrift.run f ON f.number = x.first_run
  LEFT JOIN hookdrift.run r ON r.number = x.to_run
  LEFT JOIN hookdrift.run l ON l.number = coalesce(x.last_run, (SELECT max(b.run) FROM hookdrift.scan b
    WHERE b.project_id = x.project_id AND b.run < x.to_run))`

/** SQL: `violation x` ended in runs that a condition on `x.to_run` names, in a scan of its project, without a replacement. */
export function isResolvedSql(session: Session, ended: string): string {
  // Without the fence, PostgreSQL would join all scans and all violations.
  const fence = sqlOf(session, { sqlite: '', postgres: 'OFFSET 0' })
  return `${ended} AND x.resolution IS NOT NULL
    AND EXISTS (SELECT 1 FROM hookdrift.scan e WHERE e.project_id = x.project_id AND e.run = x.to_run ${fence})`
}

/** Names of projects as of a run, by their ids. */
export async function projectNamesAt(session: Session, run: number): Promise<(id: number) => string> {
  const names = new Map((await lastScansAt(session, run)).map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? ''
}

/** The starts of the runs up to one that violations name. */
export async function startsOfRuns(transaction: Transaction, run: number): Promise<(run: number) => string> {
  // Not EXISTS: PostgreSQL would read all violations at once.
  const isNamed = (column: string) =>
    `(SELECT 1 FROM hookdrift.violation x WHERE x.${column} = r.number LIMIT 1) IS NOT NULL`
  const starts = new Map<number, string>()
  await transaction.each<{ readonly number: number; readonly start: string }>(
    `SELECT r.number, r.started_at AS start FROM hookdrift.run r WHERE r.number <= $1
       AND (${['first_run', 'from_run', 'to_run'].map(isNamed).join(' OR ')})`,
    [run],
    ({ number, start }) => starts.set(number, start),
  )
  return (number) => starts.get(number) ?? ''
}

export function toViolation<Row extends StoredViolationRow>(
  { id: _, projectId, ...row }: Row,
  nameOf: (id: number) => string,
) {
  // The joins leave out a run that is not there. The last scan that saw what has ended may be pruned.
  const starts: readonly (string | null)[] = [row.first_seen, ...(row.state === 'resolved' ? [] : [row.last_seen])]
  if (starts.includes(null)) throw damagedHistory('a violation names a run that it does not have')
  // A service may send an owner that is not text: it names no one.
  const owner = typeof row.owner === 'string' ? row.owner : null
  return { ...toRecordedViolation(row), owner, project: nameOf(projectId) }
}

/** The scans that saw it may be pruned. */
export function toResolved(row: ResolvedRow, nameOf: (id: number) => string): ResolvedViolation {
  return toViolation({ ...row, last_seen: row.last_seen ?? '' }, nameOf)
}

/** Active violations as of a run, each project as of its last scan by then, in the order of reports. */
export function readViolationsAt(history: HistoryReader, run: number): Promise<readonly RecordedViolation[]> {
  return history.snapshot(async (session) => {
    const nameOf = await projectNamesAt(session, run)
    const rows = await session.all<StoredViolationRow>(
      activeAsOf(session, { scans: lastScanSql('$1'), isWhole: true }, activeSql),
      [run],
    )
    return rows.map((row) => toViolation(row, nameOf)).sort(inReportOrder)
  })
}

/** Violations resolved in runs after `after`, up to `run`: latest first, then in the order of reports. */
export function readResolvedBetween(
  history: HistoryReader,
  after: number,
  run: number,
): Promise<readonly ResolvedViolation[]> {
  return history.snapshot(async (session) => {
    const nameOf = await projectNamesAt(session, run)
    const sql = `${resolvedSql} WHERE ${isResolvedSql(session, 'x.to_run > $1 AND x.to_run <= $2')}`
    const rows = await session.all<ResolvedRow>(sql, [after, run])
    return rows
      .map((row) => toResolved(row, nameOf))
      .sort((a, b) => b.resolved_run - a.resolved_run || inReportOrder(a, b))
  })
}

/** Violations of the projects that a run scanned: active ones, and those that ended in it without a replacement. */
export async function violationsOfRun(session: Session, run: number): Promise<RecordedViolation[]> {
  const scans = await session.all<{ readonly id: number; readonly name: string }>(
    'SELECT project_id AS id, name FROM hookdrift.scan WHERE run = $1',
    [run],
  )
  const names = new Map(scans.map(({ id, name }) => [id, name]))
  const nameOf = (id: number) => names.get(id) ?? ''
  const scansSql = 'SELECT project_id AS id, run FROM hookdrift.scan WHERE run = $1'
  const active = await session.all<StoredViolationRow>(
    activeAsOf(session, { scans: scansSql, isWhole: true }, activeSql),
    [run],
  )
  const ended = await session.all<ResolvedRow>(`${resolvedSql} WHERE ${isResolvedSql(session, 'x.to_run = $1')}`, [run])
  const rated = await session.all<{ readonly id: number; readonly severity: Severity; readonly was: Severity | null }>(
    `SELECT x.id, x.severity, (SELECT b.severity FROM hookdrift.violation b WHERE b.id = x.replaces AND b.state = 'open')
       AS was FROM hookdrift.violation x WHERE x.from_run = $1 AND x.state = 'open'`,
    [run],
  )
  const before = new Map(
    rated.flatMap(({ id, severity, was }) =>
      was === null || was === severity ? [] : [[id, { severity_before: was }] as const],
    ),
  )
  return [
    ...active.map((row) => ({ ...toViolation(row, nameOf), ...before.get(row.id) })),
    ...ended.map(({ resolved_run: _, resolved_at: __, ...row }) => toViolation({ ...row, waiver: null }, nameOf)),
  ].sort(inReportOrder)
}

/** Violations that were waived in a run after `after`, up to `run`; once for each waiver, unordered. */
export async function readWaivedBetween(
  history: HistoryReader,
  after: number,
  run: number,
): Promise<readonly WaivedViolation[]> {
  const rows = await history.snapshot((session) => session.all<WaivedRow>(waivedSql(session), [after, run]))
  return rows.map(({ fingerprint, rule, waiver }) => ({ fingerprint, rule, waiver: waiverOf(waiver) }))
}

interface WaivedRow {
  readonly fingerprint: string
  readonly rule: string
  readonly waiver: string
}

/** A waiver may be in several spans, with one text. */
function waivedSql(session: Session): string {
  const waived = (end: RowCondition) => {
    const isWaived = (row: string) => `${row}.waiver IS NOT NULL AND ${row}.from_run <= $2 AND ${end(row)}`
    const from = wholeViolationsOfScans(session, lastScanSql('$2'), isWaived)
    return `SELECT x.project_id AS "projectId", x.fingerprint, x.rule, x.waiver FROM ${from}`
  }
  return `${waived(isWithoutEnd)} UNION ${waived((row) => `${row}.to_run > $1::bigint + 1`)}`
}
