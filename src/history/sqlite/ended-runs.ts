import type { Database } from 'better-sqlite3'
import type { EndedRun } from '../reader.ts'
import { addUpExtents, type CountedRow, type RunExtent } from '../run-extents.ts'
import { cachedStatement } from './cached-statement.ts'

/** The last runs that ended, newest first, with the number of their walks and changes. */
export function endedRuns(db: Database, most: number): { runs: EndedRun[]; total: number } {
  const total =
    cachedStatement<[], number>(db, "SELECT count(*) FROM run WHERE state IN ('committed', 'interrupted')")
      .pluck()
      .get() ?? 0
  return { runs: runsBefore(db, Number.MAX_SAFE_INTEGER, most), total }
}

/** Those before a run. */
export function runsBefore(db: Database, run: number, most: number): EndedRun[] {
  const rows = cachedStatement<[number, number], Omit<EndedRun, 'isCommitted'> & { state: string }>(
    db,
    `SELECT r.number, r.started_at AS startedAt, r.finished_at AS finishedAt, r.state, r.exit_code AS exitCode,
         (SELECT count(*) FROM walk w WHERE w.run = r.number) AS walks,
         (SELECT count(*) FROM walk w WHERE w.run = r.number
            AND w.status NOT IN ('complete', 'skipped')) AS incomplete,
         (SELECT count(*) FROM change c WHERE c.run = r.number) AS changes
       FROM run r WHERE r.state IN ('committed', 'interrupted') AND r.number < ? ORDER BY r.number DESC LIMIT ?`,
  ).all(run, most)
  return rows.map(({ state, ...run }) => ({ ...run, isCommitted: state === 'committed' }))
}

const ofRun = `JOIN scan s ON s.run = x.run AND s.project_id = x.project_id JOIN project p ON p.id = x.project_id
  JOIN run r ON r.number = x.run AND r.state = 'committed' WHERE x.run BETWEEN ? AND ? GROUP BY x.run, x.project_id`

/** Of committed runs, by project. */
export function runExtents(db: Database, first: number, last: number): RunExtent[] {
  const ask = (counts: string) =>
    cachedStatement<[number, number], CountedRow>(db, `SELECT x.run, s.name, p.service, p.uid, ${counts} ${ofRun}`).all(
      first,
      last,
    )
  return addUpExtents([
    ...ask("count(*) AS walks, sum(x.status NOT IN ('complete', 'skipped')) AS incomplete FROM walk x"),
    ...ask('count(*) AS changes FROM change x'),
  ])
}
