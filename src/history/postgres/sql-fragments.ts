/**
 * SQL for the id of a project's row; NULL where there is none. `service` and `uid` are parameters: `$1`.
 */
export function projectIdSql(service: string, uid: string): string {
  return `(SELECT id FROM hookdrift.project WHERE ${isProjectSql('project', service, uid)})`
}

/** SQL that is true of one row of `hookdrift.project`, which `table` names. */
export function isProjectSql(table: string, service: string, uid: string): string {
  return `${table}.service = ${service} AND ${table}.uid = ${uid}`
}

/** SQL: a row of versions, violations or marks is valid as of a run. */
export function validAtSql(row: string, run: string): string {
  return `${row}.from_run <= ${run} AND (${row}.to_run IS NULL OR ${row}.to_run > ${run})`
}

/** SQL for every project that was scanned by a run: its row, and its last scan by then with its name at that time. */
export function lastScanSql(run: string): string {
  return `SELECT p.id, p.service, p.uid, l.name, l.run FROM hookdrift.project p CROSS JOIN LATERAL (
    SELECT s.name, s.run FROM hookdrift.scan s WHERE s.project_id = p.id AND s.run <= ${run} ORDER BY s.run DESC LIMIT 1) l`
}
