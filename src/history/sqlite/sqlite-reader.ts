import type { Database } from 'better-sqlite3'
import type { Kind, ProjectRef } from '../../model/resource.ts'
import type { CommittedRun, EndedRun, HistoryReader, Identity } from '../reader.ts'
import { cachedStatement } from './cached-statement.ts'
import { readRun } from './read-run.ts'
import { readRunInputs } from './read-run-inputs.ts'
import { find, referrersOf, versionsOf, violationsOf } from './resource-life.ts'
import { completeScansAt, latestScansAt } from './scans-at.ts'
import { differing, stateAt, versionsAt } from './state-at.ts'
import { resolvedBetween, violationsAt, waivedBetween } from './violations-at.ts'

/** Each query runs in one transaction, so its rows are consistent. */
export function sqliteReader(db: Database): HistoryReader {
  const ask = async <Answer>(question: () => Answer): Promise<Answer> => db.transaction(question)()
  return {
    runs: () =>
      ask(() =>
        db
          .prepare<[], CommittedRun>(
            `SELECT number, started_at AS startedAt, finished_at AS finishedAt FROM run
             WHERE state = 'committed' ORDER BY number`,
          )
          .all(),
      ),
    lastRun: () =>
      ask(() =>
        db
          .prepare<[], CommittedRun>(
            `SELECT number, started_at AS startedAt, finished_at AS finishedAt FROM run
             WHERE state = 'committed' ORDER BY number DESC LIMIT 1`,
          )
          .get(),
      ),
    endedRuns: (most) => ask(() => endedRuns(db, most)),
    readRun: (number) =>
      ask(() => {
        const committed = db.prepare("SELECT 1 FROM run WHERE number = ? AND state = 'committed'").get(number)
        return committed === undefined ? undefined : readRun(db, number)
      }),
    latestScans: (run, only) => ask(() => latestScansAt(db, run, only)),
    completeScansAt: (project: ProjectRef, run: number) => ask(() => completeScansAt(db, project, run)),
    violationsAt: (run) => ask(() => violationsAt(db, run)),
    resolvedBetween: (after, run) => ask(() => resolvedBetween(db, after, run)),
    waivedBetween: (after, run) => ask(() => waivedBetween(db, after, run)),
    stateAt: (project: ProjectRef, run: number, kind?: Kind) => ask(() => stateAt(db, project, run, kind)),
    differing: (from, to) => ask(() => differing(db, from, to)),
    versionsAt: (project, points) => ask(() => versionsAt(db, project, points)),
    runInputs: (run) => ask(() => readRunInputs(db, run)),
    find: (uid, run) => ask(() => find(db, uid, run)),
    versionsOf: (identity: Identity, run: number) => ask(() => versionsOf(db, identity, run)),
    violationsOf: (identity: Identity, run: number) => ask(() => violationsOf(db, identity, run)),
    referrersOf: (identity: Identity, run: number) => ask(() => referrersOf(db, identity, run)),
    close: async () => {
      db.close()
    },
  }
}

/** The last runs that ended, newest first, with the number of their walks and changes. */
export function endedRuns(db: Database, most: number): { runs: EndedRun[]; total: number } {
  const rows = cachedStatement<[number], Omit<EndedRun, 'isCommitted'> & { state: string }>(
    db,
    `SELECT r.number, r.started_at AS startedAt, r.finished_at AS finishedAt, r.state, r.exit_code AS exitCode,
         (SELECT count(*) FROM walk w WHERE w.run = r.number) AS walks,
         (SELECT count(*) FROM walk w WHERE w.run = r.number
            AND w.status NOT IN ('complete', 'skipped')) AS incomplete,
         (SELECT count(*) FROM change c WHERE c.run = r.number) AS changes
       FROM run r WHERE r.state IN ('committed', 'interrupted') ORDER BY r.number DESC LIMIT ?`,
  ).all(most)
  const total =
    cachedStatement<[], number>(db, "SELECT count(*) FROM run WHERE state IN ('committed', 'interrupted')")
      .pluck()
      .get() ?? 0
  return { runs: rows.map(({ state, ...run }) => ({ ...run, isCommitted: state === 'committed' })), total }
}
