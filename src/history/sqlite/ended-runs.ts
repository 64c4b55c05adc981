import type { Database } from 'better-sqlite3'
import type { EndedRun } from '../reader.ts'
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
