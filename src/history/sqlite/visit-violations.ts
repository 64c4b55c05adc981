import type { Database } from 'better-sqlite3'
import { type OutlineRow, toOutline } from '../choose-violations.ts'
import type { IdentifiedViolation, VisitChoice, VisitedViolation } from '../reader.ts'
import { cachedStatement } from './cached-statement.ts'
import { ownerSql } from './owner-sql.ts'
import { runStarts } from './rows.ts'
import { latestScanNumbers } from './scans-at.ts'
import { isResolvedSql, stateSql } from './violations-at.ts'

type FoundRow = OutlineRow & { readonly firstRun: number; readonly name: string; readonly message: string }

export function visitViolations(db: Database, choice: VisitChoice, visit: (violation: VisitedViolation) => void): void {
  for (const { row, project, run, firstSeen } of outlineRows(db, choice, true)) {
    const { id, name, message, state } = row
    visit({ ...toOutline(row, project, firstSeen), ...{ id, name, message, run, isResolved: state === 'resolved' } })
  }
}

/** Of a project, in the order of its kinds, uids, rules and paths where that is asked for. */
export function* outlineRows(
  db: Database,
  { run, withActive, resolvedAfter, withOwner, withText }: VisitChoice,
  isOrdered = false,
) {
  const scans = latestScanNumbers(db, run)
  const startOf = runStarts(db)
  const order = isOrdered ? 'ORDER BY kind, uid, rule, path' : ''
  const columns = (at: string) => `x.id, x.kind, x.uid, x.rule, x.path, x.severity, x.first_run AS firstRun, x.waiver,
    ${withOwner ? ownerSql(at) : 'NULL'} AS owner, ${withText ? 'x.name, x.message' : "'' AS name, '' AS message"}`
  if (withActive) {
    // Two statements in one, because the indexes find rows without an end by project, and ended rows by their end.
    const ofProject = (end: string) => `SELECT ${columns('@scan')}, ${stateSql} FROM violation x
      WHERE x.project_id = @project AND x.from_run <= @scan AND ${end}`
    const sql = `${ofProject('x.to_run IS NULL')} UNION ALL ${ofProject('x.to_run > @scan')} ${order}`
    const active = cachedStatement<{ project: number; scan: number }, FoundRow>(db, sql)
    for (const { id, name, run: scan } of scans) {
      for (const row of active.iterate({ project: id, scan })) {
        yield { row, project: name, run: scan, firstSeen: startOf(row.firstRun) }
      }
    }
  }
  if (resolvedAfter === undefined) return
  const names = new Map(scans.map(({ id, name }) => [id, name]))
  // All of them are read in the order of the table: the index on their ends would find a million one by one.
  const how = resolvedAfter === 0 ? 'NOT INDEXED' : ''
  const resolved = cachedStatement<{ after: number; run: number }, FoundRow & { projectId: number; run: number }>(
    db,
    `SELECT ${columns('x.to_run')}, x.project_id AS projectId, 'resolved' AS state, x.to_run AS run
       FROM violation x ${how} WHERE ${isResolvedSql} ${order}`,
  )
  for (const row of resolved.iterate({ after: resolvedAfter, run })) {
    yield { row, project: names.get(row.projectId) ?? '', run: row.run, firstSeen: startOf(row.firstRun) }
  }
}

/** Reads the range of an index: fingerprints are hex digits, and `~` follows them. */
export function identifyViolations(db: Database, prefix: string, run: number, most: number): IdentifiedViolation[] {
  const scans = new Map(latestScanNumbers(db, run).map((scan) => [scan.id, scan]))
  type Row = Pick<IdentifiedViolation, 'id' | 'fingerprint' | 'kind' | 'uid'> & {
    projectId: number
    toRun: number | null
  }
  const rows = cachedStatement<{ prefix: string; end: string; run: number; most: number }, Row>(
    db,
    `SELECT x.id, x.fingerprint, x.kind, x.uid, x.project_id AS projectId, x.to_run AS toRun FROM violation x
       WHERE x.id IN (SELECT max(v.id) FROM violation v WHERE v.fingerprint >= @prefix AND v.fingerprint < @end
         AND v.from_run <= @run GROUP BY v.fingerprint ORDER BY v.fingerprint LIMIT @most) ORDER BY x.fingerprint`,
  ).all({ prefix, end: `${prefix}~`, run, most })
  return rows.flatMap(({ projectId, toRun, ...row }) => {
    const scan = scans.get(projectId)
    if (scan === undefined) return []
    const { name, service, uid } = scan
    const isResolved = toRun !== null && toRun <= run
    return [{ ...row, project: { name, service, uid }, isResolved, run: isResolved ? toRun : scan.run }]
  })
}
