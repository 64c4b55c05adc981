import type { ResolvedViolation } from '../reader.ts'
import { type RecordedRow, toRecordedViolation } from '../stored-violation.ts'
import { ownerSql } from './owner-sql.ts'
import { lastScanSql } from './sql-fragments.ts'

/** A violation with the id of its row. */
export type RecordedViolationRow = RecordedRow & { readonly id: number }
export type ResolvedRow = RecordedViolationRow & Pick<ResolvedViolation, 'run' | 'resolvedAt'>

const columns = `x.id, x.fingerprint, x.rule, x.severity, coalesce(s.name, '') AS project, x.kind, x.uid, x.name, x.path,
  x.message, f.started_at AS "firstSeen", l.started_at AS "lastSeen"`

/** What an active violation is called as of scan `s`. */
export const stateSql =
  "CASE WHEN x.state <> 'open' THEN x.state WHEN x.first_run = s.run THEN 'opened' ELSE 'continuing' END AS state"

/** Violations as of the scans of their projects. `from` is SQL of `s` (name, run) and `violation x`. */
export function activeSql(from: string): string {
  return `SELECT ${columns}, x.waiver, ${ownerSql('s.run')} AS owner, ${stateSql}, NULL AS resolution,
      NULL AS "endedBy"
    FROM ${from} JOIN hookdrift.run f ON f.number = x.first_run
    LEFT JOIN hookdrift.run l ON l.number = coalesce(x.last_run, s.run)`
}

/**
 * Active violations as of the scans that `scans` selects (id of the project, name, run). Two statements, because the
 * indexes find rows without an end by project, and ended rows by their end. `OFFSET 0` keeps to that order: a plan that
 * begins with all violations would cost more with each run.
 */
export function activeAsOf(scans: string, statement: (from: string) => string): string {
  const ending = (end: string) => `(${scans}) s CROSS JOIN LATERAL (SELECT * FROM hookdrift.violation v
    WHERE v.project_id = s.id AND v.from_run <= s.run AND ${end} OFFSET 0) x`
  return `${statement(ending('v.to_run IS NULL'))} UNION ALL ${statement(ending('v.to_run > s.run'))}`
}

/** Violations that ended, as of the run that ended them. `from` is SQL of `s` (name) and `violation x`. */
export function resolvedSql(from: string): string {
  return `SELECT ${columns}, x.waiver, ${ownerSql('x.to_run')} AS owner, 'resolved' AS state, r.number AS run,
      r.started_at AS "resolvedAt", x.resolution, x.ended_by AS "endedBy"
    FROM ${from} JOIN hookdrift.run f ON f.number = x.first_run JOIN hookdrift.run r ON r.number = x.to_run
    LEFT JOIN hookdrift.run l ON l.number = coalesce(x.last_run, (SELECT max(b.run) FROM hookdrift.scan b
      WHERE b.project_id = x.project_id AND b.run < x.to_run))`
}

/** `violation x`, each with the name of its project as of a run. */
export function namedAt(run: string): string {
  return `hookdrift.violation x LEFT JOIN (${lastScanSql(run)}) s ON s.id = x.project_id`
}

/** SQL: no later span continues `violation x`. */
export const isLastSpanSql = 'NOT EXISTS (SELECT 1 FROM hookdrift.violation y WHERE y.replaces = x.id OFFSET 0)'

/** Of violations that ended: those that a scan ended without a replacement, in runs after `after`, up to `run`. */
export function isResolvedSql(after: string, run: string): string {
  return `x.to_run > ${after} AND x.to_run <= ${run}
    AND EXISTS (SELECT 1 FROM hookdrift.scan e WHERE e.project_id = x.project_id AND e.run = x.to_run OFFSET 0)
    AND ${isLastSpanSql}`
}

export function toViolation<Row extends RecordedViolationRow>({ id: _, ...row }: Row) {
  return toRecordedViolation(row)
}

/** The scans that saw it may be pruned. */
export function toResolved(row: ResolvedRow): ResolvedViolation {
  return toViolation({ ...row, lastSeen: row.lastSeen ?? '' })
}
