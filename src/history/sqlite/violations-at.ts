import type { Database } from 'better-sqlite3'
import type { ResolvedViolation, WaivedViolation } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { inReportOrder } from '../report-order.ts'
import { type RecordedRow, toRecordedViolation, waiverOf } from '../stored-violation.ts'
import { cachedStatement } from './cached-statement.ts'
import { ownerSql } from './owner-sql.ts'
import { latestScanNumbers } from './scans-at.ts'

export type StoredViolationRow = Omit<RecordedRow, 'project'> & { projectId: number }

const columns = `x.fingerprint, x.rule, x.severity, x.project_id AS projectId, x.kind, x.uid, x.name, x.path, x.message,
  (SELECT started_at FROM run WHERE number = x.first_run) AS firstSeen, x.waiver`

export const stateSql =
  "CASE WHEN x.state <> 'open' THEN x.state WHEN x.first_run = @scan THEN 'opened' ELSE 'continuing' END AS state"

/** Violations that are active as of run `@scan`. */
export const activeSql = `SELECT ${columns}, ${ownerSql('@scan')} AS owner, ${stateSql},
  (SELECT started_at FROM run WHERE number = ifnull(x.last_run, @scan)) AS lastSeen, NULL AS resolution,
  NULL AS endedBy FROM violation x`

/** Violations that ended, as of the run that ended them. */
export const resolvedSql = `SELECT ${columns}, ${ownerSql('x.to_run')} AS owner, 'resolved' AS state, r.number AS run,
  r.started_at AS resolvedAt, ifnull((SELECT started_at FROM run WHERE number = ifnull(x.last_run,
    (SELECT max(l.run) FROM scan l WHERE l.project_id = x.project_id AND l.run < x.to_run))), '') AS lastSeen, x.resolution,
  x.ended_by AS endedBy
  FROM violation x CROSS JOIN run r ON r.number = x.to_run`

/** Of violations that ended: those that a scan ended without a replacement, in runs after `@after`, up to `@run`. */
export const isResolvedSql = `x.to_run > @after AND x.to_run <= @run
  AND EXISTS (SELECT 1 FROM scan s WHERE s.project_id = x.project_id AND s.run = x.to_run)
  AND NOT EXISTS (SELECT 1 FROM violation y WHERE y.replaces = x.id)`

/** Active violations as of a run, each project as of its last scan by then. */
export function violationsAt(db: Database, run: number): RecordedViolation[] {
  type Parameters = { project: number; scan: number }
  const ofProject = `${activeSql} WHERE x.project_id = @project AND x.from_run <= @scan`
  const active = cachedStatement<Parameters, StoredViolationRow>(db, `${ofProject} AND x.to_run IS NULL`)
  const ended = cachedStatement<Parameters, StoredViolationRow>(db, `${ofProject} AND x.to_run > @scan`)
  return latestScanNumbers(db, run)
    .flatMap(({ id, name, run: scan }) => {
      const parameters = { project: id, scan }
      return [...active.all(parameters), ...ended.all(parameters)].map((row) => toNamed(row, name))
    })
    .sort(inReportOrder)
}

/** Violations that ended in runs after `after`, up to `run`, without a replacement. */
export function resolvedBetween(db: Database, after: number, run: number): ResolvedViolation[] {
  const names = new Map(latestScanNumbers(db, run).map(({ id, name }) => [id, name]))
  const rows = cachedStatement<
    { after: number; run: number },
    StoredViolationRow & { run: number; resolvedAt: string }
  >(db, `${resolvedSql} WHERE ${isResolvedSql}`).all({ after, run })
  return rows
    .map((row) => toNamed(row, names.get(row.projectId) ?? ''))
    .sort((a, b) => b.run - a.run || inReportOrder(a, b))
}

/** Violations that were waived in a run after `after`, up to `run`. */
export function waivedBetween(db: Database, after: number, run: number): WaivedViolation[] {
  type Parameters = { project: number; after: number; run: number }
  type Row = { fingerprint: string; rule: string; waiver: string }
  const waived = `SELECT DISTINCT fingerprint, rule, waiver FROM violation WHERE project_id = @project
    AND waiver IS NOT NULL AND from_run <= @run`
  const active = cachedStatement<Parameters, Row>(db, `${waived} AND to_run IS NULL AND @after IS NOT NULL`)
  const ended = cachedStatement<Parameters, Row>(db, `${waived} AND to_run > @after + 1`)
  const found = latestScanNumbers(db, run).flatMap(({ id: project }) => {
    const parameters = { project, after, run }
    return [...active.all(parameters), ...ended.all(parameters)]
  })
  // A waiver may be active now and in an ended span, with the same text.
  const distinct = new Map(found.map((row) => [JSON.stringify([row.fingerprint, row.rule, row.waiver]), row]))
  return [...distinct.values()].map((row) => ({ ...row, waiver: waiverOf(row.waiver) }))
}

export function toNamed<Found extends StoredViolationRow>({ projectId: _, ...row }: Found, project: string) {
  return { ...toRecordedViolation(row), project }
}
