/**
 * SQL for the id of a project's row; NULL where there is none. `service` and `uid` are parameters: `$1`. The index holds
 * digests, because either may be longer than an index takes.
 */
export function projectIdSql(service: string, uid: string): string {
  return `(SELECT id FROM hookdrift.project WHERE ${isProjectSql('project', service, uid)})`
}

/** SQL that is true of one row of `hookdrift.project`, which `table` names. */
export function isProjectSql(table: string, service: string, uid: string): string {
  const is = (column: string, value: string) =>
    `md5(${table}.${column}) = md5(${value}::text) AND ${table}.${column} = ${value}::text`
  return `${is('service', service)} AND ${is('uid', uid)}`
}

/** SQL that compares a uid in a way that indexes serve: they hold its first 200 characters. */
export function isUidSql(column: string, value: string): string {
  return `left(${column}, 200) = left(${value}, 200) AND ${column} = ${value}`
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
