import { type RecordedRow, toRecordedViolation } from '../stored-violation.ts'
import { ownerSql } from './owner-sql.ts'

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

export function toNamed<Found extends StoredViolationRow>({ projectId: _, ...row }: Found, project: string) {
  return { ...toRecordedViolation(row), project }
}
