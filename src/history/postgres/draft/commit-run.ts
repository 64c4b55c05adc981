import { setTimeout as sleep } from 'node:timers/promises'
import { AuditError } from '../../../model/errors.ts'
import { leaseLost } from '../../lease-owner.ts'
import type { PostgresDatabase, Transaction } from '../connect.ts'

/** What a commit is known by, where its answer is lost. */
interface Committing {
  readonly run: number
  readonly token: number
  readonly chain: string
}

/** Between attempts to learn whether a run was committed: about a minute, which a failover may take. */
const waitsMs = [0, 250, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/**
 * How long a transaction of a commit may rest between two statements. The server ends it, and frees the lease, where the
 * process is gone and its connection half open.
 */
const mostIdleMs = 60_000

/** Settings of the transaction of a commit. Its answer must survive a power cut. */
export async function prepareCommit(transaction: Transaction): Promise<void> {
  await transaction.run(
    `SELECT set_config('synchronous_commit', 'on', true), set_config('idle_in_transaction_session_timeout', $1, true)`,
    [String(mostIdleMs)],
  )
}

interface Outcome {
  /** Of the lease. */
  readonly token: number
  readonly state: string
  readonly chain: string | null
}

/**
 * What became of a run whose transaction ended in an error after its COMMIT was sent; undefined: there is no such run.
 * @throws AuditError.failure when the history cannot be asked
 */
export async function readOutcome(db: PostgresDatabase, run: number): Promise<Outcome | undefined> {
  let cause: unknown
  for (const waitMs of waitsMs) {
    await sleep(waitMs)
    try {
      return await askOutcome(db, run)
    } catch (error) {
      if (!(error instanceof AuditError)) throw error
      cause = error
    }
  }
  throw AuditError.failure(`${db.shown} does not answer: run ${run} may be committed, or not`, {
    advice:
      'check whether `hookdrift runs` lists it once the server is up; the next run closes it if it is not committed',
    cause,
  })
}

/**
 * Returns when the run is committed.
 * @throws `error` when it is not and still owns the lease, so that it can be abandoned
 * @throws AuditError.busy when it is not and lost the lease
 * @throws AuditError.failure as `readOutcome`
 */
export async function requireCommitted(db: PostgresDatabase, committing: Committing, error: unknown): Promise<void> {
  const { run, token, chain } = committing
  const found = await readOutcome(db, run)
  if (found?.state === 'committed' && found.chain === chain) return
  throw found?.token === token ? error : leaseLost(run, db.shown)
}

/** Waits until the transaction of the commit has ended on the server: it has the lease locked. */
function askOutcome(db: PostgresDatabase, run: number): Promise<Outcome | undefined> {
  return db.transaction(async (transaction) => {
    await transaction.run("SELECT set_config('lock_timeout', $1, true)", [String(2 * mostIdleMs)])
    await transaction.run('SELECT 1 FROM hookdrift.lease FOR UPDATE')
    return transaction.get<Outcome>(
      'SELECT l.token, r.state, r.chain FROM hookdrift.lease l, hookdrift.run r WHERE r.number = $1',
      [run],
    )
  })
}
