import type { Database } from 'better-sqlite3'
import type { HistoryReader } from '../reader.ts'
import type { RunRecord } from '../records.ts'
import { differing, visitDiffering } from './differing.ts'
import { endedRuns, runExtents, runsBefore } from './ended-runs.ts'
import { endpointsOf } from './endpoints-of.ts'
import { firstViolations, foundViolations } from './first-violations.ts'
import { countResources, listResources } from './list-resources.ts'
import { readMove } from './move/mark-moved.ts'
import { policiesBetween } from './policies-between.ts'
import { readRun } from './read-run.ts'
import { readRunInputs } from './read-run-inputs.ts'
import { find, referrersOf, search, versionsOf, violationsOf } from './resource-life.ts'
import { committedRun, committedRuns, lastRun, madeAt } from './rows.ts'
import { completeScansAt, latestScansAt } from './scans-at.ts'
import { stateAt, versionsAt } from './state-at.ts'
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
    madeAt: asking(madeAt),
    moved: asking(readMove),
    runs: asking(committedRuns),
    lastRun: asking(lastRun),
    endedRuns: asking(endedRuns),
    runsBefore: asking(runsBefore),
    runExtents: asking(runExtents),
    committedRun: asking(committedRun),
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
    policiesBetween: asking(policiesBetween),
    stateAt: asking(stateAt),
    listResources: asking(listResources),
    countResources: asking(countResources),
    versionsAt: asking(versionsAt),
    differing: asking(differing),
    visitDiffering: asking(visitDiffering),
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
