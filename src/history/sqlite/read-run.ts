import type { Database } from 'better-sqlite3'
import type { FieldChange } from '../../model/change.ts'
import { type Listing, listings } from '../../model/resource.ts'
import type { RecordedViolation, RunRecord, StagedChange } from '../history.ts'
import { compareText, inReportOrder } from '../report-order.ts'

/** Reads a run as it was, whatever came after it. The caller says which runs may be read. */
export function readRun(db: Database, number: number): RunRecord | undefined {
  const run = db
    .prepare<[number], Omit<RunRecord, 'coverage' | 'notices' | 'changes' | 'violations'>>(
      `SELECT number, started_at AS startedAt, finished_at AS finishedAt, fail_on AS failOn,
              tool_version AS toolVersion, policy_digest AS policyDigest, configuration_digest AS configurationDigest
       FROM run WHERE number = ?`,
    )
    .get(number)
  if (run === undefined) return undefined
  return {
    ...run,
    coverage: readCoverage(db, number),
    notices: db
      .prepare<[number], RunRecord['notices'][number]>(
        `SELECT w.project, n.listing, n.text FROM notice n
         JOIN walk w ON w.project_id = n.project_id AND w.run = n.run AND w.listing = n.listing
         WHERE n.run = ? ORDER BY w.project, n.rowid`,
      )
      .all(number),
    changes: readChanges(db, number),
    violations: readViolations(db, number),
  }
}

function readCoverage(db: Database, number: number): RunRecord['coverage'] {
  const walks = db
    .prepare<[number], RunRecord['coverage'][number]>(
      `SELECT project, listing, status, reason, pages, items, requests, retries, duration_ms AS durationMs
       FROM walk WHERE run = ?`,
    )
    .all(number)
  const order = (listing: Listing) => listings.indexOf(listing)
  return walks.sort((a, b) => compareText(a.project, b.project) || order(a.listing) - order(b.listing))
}

/** The name of a project as it was configured in a run; null when that run did not look at it. */
const projectName = `(SELECT w.project FROM walk w
  WHERE w.project_id = x.project_id AND w.listing = 'endpoints' AND w.run = @run)`

function readChanges(db: Database, number: number): RunRecord['changes'] {
  const rows = db
    .prepare<
      { run: number },
      Omit<StagedChange, 'fields' | 'referrers'> & { project: string; fields: string; referrers: string | null }
    >(
      `SELECT ${projectName} AS project, kind, uid, name, change, fields, referrers FROM change x
       WHERE run = @run ORDER BY project, kind, uid`,
    )
    .all({ run: number })
  return rows.map(({ fields, referrers, ...change }) => ({
    ...change,
    // What we wrote ourselves.
    fields: JSON.parse(fields) as FieldChange[],
    ...(referrers === null ? {} : { referrers: JSON.parse(referrers) as string[] }),
  }))
}

/**
 * Violations of the projects that the run looked at: those that stood in it, and those that ended in it and were
 * not merely reworded.
 */
function readViolations(db: Database, number: number): RecordedViolation[] {
  const columns = `x.fingerprint, x.rule, x.severity, ${projectName} AS project, x.kind, x.uid, x.name, x.path,
    x.message, (SELECT started_at FROM run WHERE number = x.first_run) AS firstSeen`
  const standing = db
    .prepare<{ run: number }, RecordedViolation & { project: string | null }>(
      `SELECT ${columns},
         CASE WHEN x.state <> 'open' THEN x.state WHEN x.first_run = @run THEN 'opened' ELSE 'continuing' END AS state,
         (SELECT started_at FROM run WHERE number = ifnull(x.last_run, @run)) AS lastSeen
       FROM violation x WHERE x.from_run <= @run AND (x.to_run IS NULL OR x.to_run > @run)`,
    )
    .all({ run: number })
  const resolved = db
    .prepare<{ run: number }, RecordedViolation & { project: string | null }>(
      `SELECT ${columns}, 'resolved' AS state,
         (SELECT started_at FROM run WHERE number = ifnull(x.last_run,
            (SELECT max(w.run) FROM walk w
             WHERE w.project_id = x.project_id AND w.listing = 'endpoints' AND w.run < @run))) AS lastSeen
       FROM violation x
       WHERE x.to_run = @run AND NOT EXISTS (SELECT 1 FROM violation y WHERE y.replaces = x.id)`,
    )
    .all({ run: number })
  return [...standing, ...resolved].filter(({ project }) => project !== null).sort(inReportOrder)
}
