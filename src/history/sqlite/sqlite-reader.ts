import type { Database } from 'better-sqlite3'
import type { HistoryReader } from '../reader.ts'
import type { RunRecord } from '../records.ts'
import { readRun } from './read-run.ts'
import { readRunInputs } from './read-run-inputs.ts'
import { committedRun, committedRuns, lastRun, madeAt } from './rows.ts'
import { completeScansAt, latestScansAt } from './scans-at.ts'
import type { questions } from './sqlite-questions.ts'
import { stateAt, versionsAt } from './state-at.ts'

/** Each query runs in one transaction, so its rows are consistent. What no run asks is loaded with the first question. */
export function sqliteReader(db: Database): HistoryReader {
  const asking =
    <Values extends unknown[], Result>(question: (db: Database, ...values: Values) => Result) =>
    async (...values: Values): Promise<Result> =>
      db.transaction(() => question(db, ...values))()
  const later =
    <Values extends unknown[], Result>(
      choose: (all: typeof questions) => (db: Database, ...values: Values) => Result,
    ) =>
    async (...values: Values): Promise<Result> =>
      asking(choose((await import('./sqlite-questions.ts')).questions))(...values)
  return {
    madeAt: asking(madeAt),
    moved: later(({ readMove }) => readMove),
    runs: asking(committedRuns),
    lastRun: asking(lastRun),
    endedRuns: later(({ endedRuns }) => endedRuns),
    runsBefore: later(({ runsBefore }) => runsBefore),
    runExtents: later(({ runExtents }) => runExtents),
    committedRun: asking(committedRun),
    readRun: asking(readCommittedRun),
    latestScans: asking(latestScansAt),
    completeScansAt: asking(completeScansAt),
    violationsAt: later(({ violationsAt }) => violationsAt),
    resolvedBetween: later(({ resolvedBetween }) => resolvedBetween),
    firstViolations: later(({ firstViolations }) => firstViolations),
    visitViolations: later(({ visitViolations }) => visitViolations),
    foundViolations: later(({ foundViolations }) => foundViolations),
    identifyViolations: later(({ identifyViolations }) => identifyViolations),
    visitSpans: later(({ visitSpans }) => visitSpans),
    waivedBetween: later(({ waivedBetween }) => waivedBetween),
    policiesBetween: later(({ policiesBetween }) => policiesBetween),
    stateAt: asking(stateAt),
    listResources: later(({ listResources }) => listResources),
    countResources: later(({ countResources }) => countResources),
    versionsAt: asking(versionsAt),
    differing: later(({ differing }) => differing),
    visitDiffering: later(({ visitDiffering }) => visitDiffering),
    runInputs: asking(readRunInputs),
    find: later(({ find }) => find),
    search: later(({ search }) => search),
    endpointsOf: later(({ endpointsOf }) => endpointsOf),
    versionsOf: later(({ versionsOf }) => versionsOf),
    violationsOf: later(({ violationsOf }) => violationsOf),
    referrersOf: later(({ referrersOf }) => referrersOf),
    close: async () => {
      db.close()
    },
  }
}

function readCommittedRun(db: Database, number: number): RunRecord | undefined {
  const committed = db.prepare("SELECT 1 FROM run WHERE number = ? AND state = 'committed'").get(number)
  return committed === undefined ? undefined : readRun(db, number)
}
