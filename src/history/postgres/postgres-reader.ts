import type { HistoryReader } from '../reader.ts'
import { sqlReader } from '../sql/sql-reader.ts'
import type { PostgresDatabase, Session, Transaction } from './connect.ts'
import { asHistoryError } from './describe-fault.ts'
import { differing, visitDiffering } from './differing.ts'
import { endpointsOf } from './endpoints-of.ts'
import { firstViolations, foundViolations } from './first-violations.ts'
import { readMove } from './lease.ts'
import { countResources, listResources } from './list-resources.ts'
import { find, referrersOf, search, versionsOf, violationsOf } from './resource-life.ts'
import { stateAt, versionsAt } from './state-at.ts'
import { visitSpans } from './visit-spans.ts'
import { identifyViolations, visitViolations } from './visit-violations.ts'

/** Its `close` closes the database. */
export function postgresReader(db: PostgresDatabase): HistoryReader {
  /** Of one short statement, which is consistent by itself. */
  const asking =
    <Values extends unknown[], Result>(question: (session: Session, ...values: Values) => Promise<Result>) =>
    async (...values: Values): Promise<Result> => {
      try {
        return await question(db, ...values)
      } catch (error) {
        // Rows may contain a text that is not JSON.
        throw asHistoryError(error, db.shown)
      }
    }
  /** Of several statements, or of long ones. */
  const inSnapshot =
    <Values extends unknown[], Result>(question: (transaction: Transaction, ...values: Values) => Promise<Result>) =>
    (...values: Values): Promise<Result> =>
      db.snapshot((transaction) => question(transaction, ...values))
  return {
    ...sqlReader(db),
    moved: asking(readMove),
    firstViolations: inSnapshot(firstViolations),
    visitViolations: inSnapshot(visitViolations),
    foundViolations: inSnapshot(foundViolations),
    identifyViolations: inSnapshot(identifyViolations),
    visitSpans: inSnapshot(visitSpans),
    stateAt: inSnapshot(stateAt),
    listResources: inSnapshot(listResources),
    countResources: asking(countResources),
    versionsAt: asking(versionsAt),
    differing: asking(differing),
    visitDiffering: inSnapshot(visitDiffering),
    find: asking(find),
    search: asking(search),
    endpointsOf: asking(endpointsOf),
    versionsOf: asking(versionsOf),
    violationsOf: asking(violationsOf),
    referrersOf: asking(referrersOf),
  }
}
