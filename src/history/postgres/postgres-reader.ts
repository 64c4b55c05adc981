import type { CommittedRun, HistoryReader } from '../reader.ts'
import type { RunRecord } from '../records.ts'
import type { PostgresDatabase, Session, Transaction } from './connect.ts'
import { asHistoryError } from './describe-fault.ts'
import { differing, visitDiffering } from './differing.ts'
import { endedRuns, runExtents, runsBefore } from './ended-runs.ts'
import { endpointsOf } from './endpoints-of.ts'
import { firstViolations, foundViolations } from './first-violations.ts'
import { readMove } from './lease.ts'
import { countResources, listResources } from './list-resources.ts'
import { policiesBetween } from './policies-between.ts'
import { readRun } from './read-run.ts'
import { readRunInputs } from './read-run-inputs.ts'
import { find, referrersOf, search, versionsOf, violationsOf } from './resource-life.ts'
import { completeScansAt, latestScansAt } from './scans-at.ts'
import { stateAt, versionsAt } from './state-at.ts'
import { resolvedBetween, violationsAt, waivedBetween } from './violations-at.ts'
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
    firstViolations: inSnapshot(firstViolations),
    visitViolations: inSnapshot(visitViolations),
    foundViolations: inSnapshot(foundViolations),
    identifyViolations: inSnapshot(identifyViolations),
    visitSpans: inSnapshot(visitSpans),
    waivedBetween: asking(waivedBetween),
    policiesBetween: asking(policiesBetween),
    stateAt: inSnapshot(stateAt),
    listResources: inSnapshot(listResources),
    countResources: asking(countResources),
    versionsAt: asking(versionsAt),
    differing: asking(differing),
    visitDiffering: inSnapshot(visitDiffering),
    runInputs: inSnapshot(readRunInputs),
    find: asking(find),
    search: asking(search),
    endpointsOf: asking(endpointsOf),
    versionsOf: asking(versionsOf),
    violationsOf: asking(violationsOf),
    referrersOf: asking(referrersOf),
    close: () => db.close(),
  }
}

/** When the first step made its schema. */
async function madeAt(session: Session): Promise<string> {
  return (await session.value<string>('SELECT applied_at FROM hookdrift.migration ORDER BY version LIMIT 1')) ?? ''
}

const committedRunsSql = `SELECT number, started_at AS "startedAt", finished_at AS "finishedAt" FROM hookdrift.run
  WHERE state = 'committed' ORDER BY number`

/** Oldest first. */
async function committedRuns(session: Session): Promise<CommittedRun[]> {
  return session.all<CommittedRun>(committedRunsSql)
}

/** Reads one row. */
export async function lastRun(session: Session): Promise<CommittedRun | undefined> {
  return session.get<CommittedRun>(`${committedRunsSql} DESC LIMIT 1`)
}

async function committedRun(session: Session, number: number): Promise<CommittedRun | undefined> {
  return session.get<CommittedRun>(
    `SELECT number, started_at AS "startedAt", finished_at AS "finishedAt" FROM hookdrift.run
       WHERE number = $1 AND state = 'committed'`,
    [number],
  )
}

async function readCommittedRun(session: Session, number: number): Promise<RunRecord | undefined> {
  const state = await session.value<string>('SELECT state FROM hookdrift.run WHERE number = $1', [number])
  return state === 'committed' ? readRun(session, number) : undefined
}
