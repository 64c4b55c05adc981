import type { HistoryReader } from '../reader.ts'
import { policiesBetween, readCommittedRun, readRunInputs } from './read-run.ts'
import { committedRun, committedRuns, endedRuns, lastRun, madeAt, runExtents, runsBefore } from './runs.ts'
import { completeScansAt, latestScansAt } from './scans.ts'
import type { HistoryDatabase, Session, Transaction } from './session.ts'
import { resolvedBetween, violationsAt, waivedBetween } from './violations.ts'

/** What is asked of a history, in either database. */
export function sqlReader(db: HistoryDatabase) {
  /** Of one short statement, which is consistent by itself. */
  const asking =
    <Values extends unknown[], Result>(question: (session: Session, ...values: Values) => Promise<Result>) =>
    async (...values: Values): Promise<Result> => {
      try {
        return await question(db, ...values)
      } catch (error) {
        // Rows may contain a text that is not JSON.
        throw db.describe(error)
      }
    }
  /** Of several statements, or of long ones. */
  const inSnapshot =
    <Values extends unknown[], Result>(question: (transaction: Transaction, ...values: Values) => Promise<Result>) =>
    (...values: Values): Promise<Result> =>
      db.snapshot((transaction) => question(transaction, ...values))
  return {
    madeAt: asking(madeAt),
    runs: asking(committedRuns),
    lastRun: asking(lastRun),
    endedRuns: inSnapshot(endedRuns),
    runsBefore: asking(runsBefore),
    runExtents: inSnapshot(runExtents),
    committedRun: asking(committedRun),
    readRun: inSnapshot(readCommittedRun),
    latestScans: inSnapshot(latestScansAt),
    completeScansAt: asking(completeScansAt),
    violationsAt: inSnapshot(violationsAt),
    resolvedBetween: inSnapshot(resolvedBetween),
    waivedBetween: asking(waivedBetween),
    policiesBetween: asking(policiesBetween),
    runInputs: inSnapshot(readRunInputs),
    close: () => db.close(),
  } satisfies Partial<HistoryReader>
}
