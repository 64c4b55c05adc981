import type { CommittedRun, EndedRun, HistoryReader } from '../reader.ts'
import type { RunRecord } from '../records.ts'
import type { PostgresDatabase, Session, Transaction } from './connect.ts'
import { asHistoryError } from './describe-fault.ts'
import { endpointsOf } from './endpoints-of.ts'
import { firstViolations, foundViolations } from './first-violations.ts'
import { readMove } from './lease.ts'
import { readRun } from './read-run.ts'
import { readRunInputs } from './read-run-inputs.ts'
import { find, referrersOf, search, versionsOf, violationsOf } from './resource-life.ts'
import { completeScansAt, latestScansAt } from './scans-at.ts'
import { differing, stateAt, versionsAt } from './state-at.ts'
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
    moved: asking(readMove),
    runs: asking(committedRuns),
    lastRun: asking(lastRun),
    endedRuns: inSnapshot(endedRuns),
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
    stateAt: inSnapshot(stateAt),
    versionsAt: asking(versionsAt),
    differing: asking(differing),
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

async function readCommittedRun(session: Session, number: number): Promise<RunRecord | undefined> {
  const state = await session.value<string>('SELECT state FROM hookdrift.run WHERE number = $1', [number])
  return state === 'committed' ? readRun(session, number) : undefined
}

/** The last runs that ended, newest first, with the number of their walks and changes. */
async function endedRuns(session: Session, most: number): Promise<{ runs: EndedRun[]; total: number }> {
  const runs = await session.all<EndedRun>(
    `SELECT r.number, r.started_at AS "startedAt", r.finished_at AS "finishedAt", r.state = 'committed' AS "isCommitted",
       r.exit_code AS "exitCode",
       (SELECT count(*) FROM hookdrift.walk w WHERE w.run = r.number) AS walks,
       (SELECT count(*) FROM hookdrift.walk w WHERE w.run = r.number
          AND w.status NOT IN ('complete', 'skipped')) AS incomplete,
       (SELECT count(*) FROM hookdrift.change c WHERE c.run = r.number) AS changes
     FROM hookdrift.run r WHERE r.state IN ('committed', 'interrupted') ORDER BY r.number DESC LIMIT $1`,
    [most],
  )
  const total = await session.value<number>(
    "SELECT count(*) FROM hookdrift.run WHERE state IN ('committed', 'interrupted')",
  )
  return { runs, total: total ?? 0 }
}
