import type { Database } from 'better-sqlite3'
import type { HistoryReader } from '../reader.ts'
import { sqlReader } from '../sql/sql-reader.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { questions } from './sqlite-questions.ts'
import { stateAt, versionsAt } from './state-at.ts'

/** Each query runs in one transaction, so its rows are consistent. What no run asks is loaded with the first question. */
export function sqliteReader(database: SqliteDatabase): HistoryReader {
  const db = database.connection
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
    ...sqlReader(database),
    moved: later(({ readMove }) => readMove),
    firstViolations: later(({ firstViolations }) => firstViolations),
    visitViolations: later(({ visitViolations }) => visitViolations),
    foundViolations: later(({ foundViolations }) => foundViolations),
    identifyViolations: later(({ identifyViolations }) => identifyViolations),
    visitSpans: later(({ visitSpans }) => visitSpans),
    stateAt: asking(stateAt),
    listResources: later(({ listResources }) => listResources),
    countResources: later(({ countResources }) => countResources),
    versionsAt: asking(versionsAt),
    differing: later(({ differing }) => differing),
    visitDiffering: later(({ visitDiffering }) => visitDiffering),
    find: later(({ find }) => find),
    search: later(({ search }) => search),
    endpointsOf: later(({ endpointsOf }) => endpointsOf),
    versionsOf: later(({ versionsOf }) => versionsOf),
    violationsOf: later(({ violationsOf }) => violationsOf),
    referrersOf: later(({ referrersOf }) => referrersOf),
  }
}
