import type { HistoryReader } from '../reader.ts'
import { policiesBetween, readCommittedRun, readRunInputs } from './read-run.ts'
import { committedRun, committedRuns, endedRuns, lastRun, madeAt, readMove, runExtents, runsBefore } from './runs.ts'
import { completeScansAt, latestScansAt } from './scans.ts'
import type { HistoryDatabase, Session, Transaction } from './session.ts'
import { stateAt, versionsAt } from './state-at.ts'
import { resolvedBetween, violationsAt, waivedBetween } from './violations.ts'

/** What is asked of a history, in either database. */
export function sqlReader(db: HistoryDatabase): HistoryReader {
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
  /** What people and pages ask, and no run does, is loaded with the first question. */
  const later =
    <Module, Values extends unknown[], Result>(
      load: () => Promise<Module>,
      choose: (module: Module) => (...values: Values) => Promise<Result>,
    ) =>
    async (...values: Values): Promise<Result> =>
      choose(await load())(...values)
  const resourceList = () => import('./list-resources.ts')
  const differences = () => import('./differing.ts')
  const resourceLife = () => import('./resource-life.ts')
  const endpoints = () => import('./endpoints-of.ts')
  const chosen = () => import('./first-violations.ts')
  const violations = () => import('./found-violations.ts')
  const spans = () => import('./visit-spans.ts')
  return {
    madeAt: asking(madeAt),
    moved: asking(readMove),
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
    stateAt: inSnapshot(stateAt),
    versionsAt: asking(versionsAt),
    listResources: later(resourceList, ({ listResources }) => inSnapshot(listResources)),
    countResources: later(resourceList, ({ countResources }) => asking(countResources)),
    differing: later(differences, ({ differing }) => inSnapshot(differing)),
    visitDiffering: later(differences, ({ visitDiffering }) => inSnapshot(visitDiffering)),
    find: later(resourceLife, ({ find }) => asking(find)),
    search: later(resourceLife, ({ search }) => inSnapshot(search)),
    endpointsOf: later(endpoints, ({ endpointsOf }) => asking(endpointsOf)),
    versionsOf: later(resourceLife, ({ versionsOf }) => asking(versionsOf)),
    violationsOf: later(resourceLife, ({ violationsOf }) => asking(violationsOf)),
    referrersOf: later(resourceLife, ({ referrersOf }) => asking(referrersOf)),
    groupViolations: later(chosen, ({ groupViolations }) => inSnapshot(groupViolations)),
    firstViolations: later(chosen, ({ firstViolations }) => inSnapshot(firstViolations)),
    pageViolations: later(chosen, ({ pageViolations }) => inSnapshot(pageViolations)),
    violatedRules: later(chosen, ({ violatedRules }) => inSnapshot(violatedRules)),
    foundViolations: later(violations, ({ foundViolations }) => inSnapshot(foundViolations)),
    identifyViolations: later(violations, ({ identifyViolations }) => inSnapshot(identifyViolations)),
    visitSpans: later(spans, ({ visitSpans }) => inSnapshot(visitSpans)),
    close: () => db.close(),
  }
}
