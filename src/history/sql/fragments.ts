/** SQL for the id of a project's row; NULL where there is none. `service` and `uid` are parameters: `$1`. */
export function projectIdSql(service: string, uid: string): string {
  return `(SELECT id FROM hookdrift.project WHERE service = ${service} AND uid = ${uid})`
}

/** SQL: a row of versions, violations or marks is valid as of a run. */
export function validAtSql(row: string, run: string): string {
  return `${row}.from_run <= ${run} AND (${row}.to_run IS NULL OR ${row}.to_run > ${run})`
}

/** SQL for every project that was scanned by a run: its row, and its last scan by then with its name at that time. */
export function lastScanSql(run: string): string {
  return `SELECT p.id, p.service, p.uid, s.name, s.run FROM hookdrift.project p CROSS JOIN hookdrift.scan s
    WHERE s.project_id = p.id
      AND s.run = (SELECT max(l.run) FROM hookdrift.scan l WHERE l.project_id = p.id AND l.run <= ${run})`
}

/** SQL of the time in which a change `c` of a run `r` came about, as the columns of `ChangeTimes`. */
export const changeTimesSql = `c.after_at AS "after", coalesce(c.before_at, r.finished_at) AS "before",
  CASE WHEN c.after_at IS NOT NULL THEN ${lastRunSql('started_at = c.after_at')} END AS after_run,
  CASE WHEN c.before_at IS NULL THEN c.run ELSE coalesce(${lastRunSql('finished_at = c.before_at')}, c.run) END
    AS before_run`

/** SQL of the last run before that of a change `c` of which something is true: mostly the one before it. */
function lastRunSql(condition: string): string {
  return `(SELECT b.number FROM hookdrift.run b WHERE b.number < c.run AND b.${condition} ORDER BY b.number DESC LIMIT 1)`
}

/** SQL: a version is the last one of its resource by a run, ended or not. */
export function isLastSql(version: string, run: string): string {
  return `${version}.from_run = (SELECT max(last.from_run) FROM hookdrift.version last
    WHERE last.project_id = ${version}.project_id AND last.kind = ${version}.kind AND last.uid = ${version}.uid
      AND last.from_run <= ${run})`
}

/** SQL: a violation is active, or accepted by an acceptance that holds or was revoked since. */
export function isFollowedSql(row: string): string {
  return `(${row}.to_run IS NULL OR (${row}.resolution = 'accepted'
      AND NOT EXISTS (SELECT 1 FROM hookdrift.violation n WHERE n.fingerprint = ${row}.fingerprint AND n.id > ${row}.id)
      AND EXISTS (SELECT 1 FROM hookdrift.acceptance a WHERE a.project_id = ${row}.project_id
        AND a.fingerprint = ${row}.fingerprint AND a.ended_at IS NULL AND (a.revoked_at IS NULL
          OR a.revoked_at > (SELECT started_at FROM hookdrift.run WHERE number = ${row}.to_run)))))`
}
