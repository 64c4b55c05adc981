import type { Database } from 'better-sqlite3'
import type { EndedRun, HistoryReader } from '../reader.ts'
import type { RunRecord } from '../records.ts'
import { cachedStatement } from './cached-statement.ts'
import { endpointsOf } from './endpoints-of.ts'
import { firstViolations, foundViolations } from './first-violations.ts'
import { readMove } from './move/mark-moved.ts'
import { readRun } from './read-run.ts'
import { readRunInputs } from './read-run-inputs.ts'
import { find, referrersOf, search, versionsOf, violationsOf } from './resource-life.ts'
import { committedRuns, lastRun } from './rows.ts'
import { completeScansAt, latestScansAt } from './scans-at.ts'
import { differing, stateAt, versionsAt } from './state-at.ts'
import { resolvedBetween, violationsAt, waivedBetween } from './violations-at.ts'
import { visitSpans } from './visit-spans.ts'
import { identifyViolations, visitViolations } from './visit-violations.ts'

/** Each query runs in one transaction, so its rows are consistent. */
export function sqliteReader(db: Database): HistoryReader {
  const asking =
    <Values extends unknown[], Result>(question: (db: Database, ...values: Values) => Result) =>
    async (...values: Values): Promise<Result> =>
      db.transaction(() => question(db, ...values))()
  return {
    moved: asking(readMove),
    runs: asking(committedRuns),
    lastRun: asking(lastRun),
    endedRuns: asking(endedRuns),
    readRun: asking(readCommittedRun),
    latestScans: asking(latestScansAt),
    completeScansAt: asking(completeScansAt),
    violationsAt: asking(violationsAt),
    resolvedBetween: asking(resolvedBetween),
    firstViolations: asking(firstViolations),
    visitViolations: asking(visitViolations),
    foundViolations: asking(foundViolations),
    identifyViolations: asking(identifyViolations),
    visitSpans: asking(visitSpans),
    waivedBetween: asking(waivedBetween),
    stateAt: asking(stateAt),
    versionsAt: asking(versionsAt),
    differing: asking(differing),
    runInputs: asking(readRunInputs),
    find: asking(find),
    search: asking(search),
    endpointsOf: asking(endpointsOf),
    versionsOf: asking(versionsOf),
    violationsOf: asking(violationsOf),
    referrersOf: asking(referrersOf),
    close: async () => {
      db.close()
    },
  }
}

function readCommittedRun(db: Database, number: number): RunRecord | undefined {
  const committed = db.prepare("SELECT 1 FROM run WHERE number = ? AND state = 'committed'").get(number)
  return committed === undefined ? undefined : readRun(db, number)
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
