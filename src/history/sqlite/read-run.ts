import type { Database } from 'better-sqlite3'
import type { Notice } from '../../model/notice.ts'
import { readProjects, readStableContext } from '../read-documents.ts'
import type { RecordedViolation, RunRecord } from '../records.ts'
import { inNoticeOrder, inReportOrder, inResourceOrder, inWalkOrder } from '../report-order.ts'
import { type RecordedChangeRow, toChange } from '../stored-change.ts'
import { type RecordedRow, toRecordedViolation } from '../stored-violation.ts'
import { type StoredWalk, toCoverage } from '../stored-walk.ts'
import { ownerSql } from './owner-sql.ts'
import { readAcceptancesOf } from './sqlite-acceptances.ts'

type RunRow = Pick<
  RunRecord,
  'number' | 'startedAt' | 'finishedAt' | 'failOn' | 'toolVersion' | 'policyDigest' | 'configurationDigest' | 'chain'
> & { readonly rules: string | null; readonly projects: string | null }

/** Reads a run as it was when committed. The caller decides which runs may be read. */
export function readRun(db: Database, number: number): RunRecord | undefined {
  const run = db
    .prepare<[number], RunRow>(
      `SELECT number, started_at AS startedAt, finished_at AS finishedAt, fail_on AS failOn,
              tool_version AS toolVersion, policy_digest AS policyDigest, configuration_digest AS configurationDigest, chain,
              (SELECT body FROM document WHERE sha256 = rules_document) AS rules,
              (SELECT body FROM document WHERE sha256 = projects_document) AS projects
       FROM run WHERE number = ?`,
    )
    .get(number)
  if (run === undefined) return undefined
  return {
    ...run,
    ...readStableContext(run.rules),
    projects: readProjects(run.projects),
    coverage: readCoverage(db, number),
    notices: readNotices(db, number),
    changes: readChanges(db, number),
    violations: readViolations(db, number),
    accepted: readAcceptancesOf(db, number),
  }
}

function readCoverage(db: Database, number: number): RunRecord['coverage'] {
  return db
    .prepare<[number], StoredWalk & { readonly project: string }>(
      `SELECT s.name AS project, w.listing, w.status, w.cause, w.reason, w.filter, w.pages, w.items, w.requests, w.retries,
              w.duration_ms AS durationMs, w.total AS "of", w.oldest_at AS oldestAt
       FROM walk w JOIN scan s ON s.project_id = w.project_id AND s.run = w.run WHERE w.run = ?`,
    )
    .all(number)
    .map(toCoverage)
    .sort(inWalkOrder)
}

function readNotices(db: Database, number: number): RunRecord['notices'] {
  return db
    .prepare<[number], Notice>(
      `SELECT n.code, s.name AS project, n.listing, n.text
       FROM notice n LEFT JOIN scan s ON s.project_id = n.project_id AND s.run = n.run
       WHERE n.run = ? AND (n.project_id IS NULL OR s.run IS NOT NULL) ORDER BY n.number`,
    )
    .all(number)
    .sort(inNoticeOrder)
}

export function readChanges(db: Database, number: number): RunRecord['changes'] {
  return db
    .prepare<{ run: number }, RecordedChangeRow>(
      `SELECT s.name AS project, c.kind, c.uid, c.name, c.change, c.fields, c.referrers
       FROM change c JOIN scan s ON s.project_id = c.project_id AND s.run = c.run WHERE c.run = @run ORDER BY c.id`,
    )
    .all({ run: number })
    .map(toChange)
    .sort(inResourceOrder)
}

/**
 * Violations of the projects that the run scanned: active ones, and those that ended in it without a replacement. The
 * indexes find rows without an end by project and ended rows by their end, so the cost does not grow with the history.
 */
function readViolations(db: Database, number: number): RecordedViolation[] {
  const columns = `x.fingerprint, x.rule, x.severity, s.name AS project, x.kind, x.uid, x.name, x.path, x.message,
    (SELECT started_at FROM run WHERE number = x.first_run) AS firstSeen, ${ownerSql('@run')} AS owner`
  const active = `SELECT ${columns},
      CASE WHEN x.state <> 'open' THEN x.state WHEN x.first_run = @run THEN 'opened' ELSE 'continuing' END AS state,
      (SELECT started_at FROM run WHERE number = ifnull(x.last_run, @run)) AS lastSeen, x.waiver, NULL AS resolution,
      NULL AS endedBy`
  const all = (sql: string) =>
    db.prepare<{ run: number }, RecordedRow>(sql).all({ run: number }).map(toRecordedViolation)
  return [
    ...all(
      `${active} FROM scan s CROSS JOIN violation x ON x.project_id = s.project_id
       WHERE s.run = @run AND x.to_run IS NULL AND x.from_run <= @run`,
    ),
    ...all(
      `${active} FROM violation x CROSS JOIN scan s ON s.project_id = x.project_id
       WHERE s.run = @run AND x.to_run > @run AND x.from_run <= @run`,
    ),
    ...all(
      `SELECT ${columns}, 'resolved' AS state,
         (SELECT started_at FROM run WHERE number = ifnull(x.last_run,
            (SELECT max(l.run) FROM scan l WHERE l.project_id = x.project_id AND l.run < @run))) AS lastSeen, NULL AS waiver,
         x.resolution, x.ended_by AS endedBy
       FROM violation x CROSS JOIN scan s ON s.project_id = x.project_id
       WHERE s.run = @run AND x.to_run = @run AND NOT EXISTS (SELECT 1 FROM violation y WHERE y.replaces = x.id)`,
    ),
  ].sort(inReportOrder)
}
