import { setTimeout as sleep } from 'node:timers/promises'
import { AuditError } from '../../model/errors.ts'
import type { HistoryBackend, Lease, SureWork } from '../sql/backend.ts'
import type { PostgresDatabase, PostgresTransaction } from './connect.ts'
import {
  keepLease,
  leaseExpiryMs,
  lockLease,
  readLease,
  releaseSql,
  requireFreeLease,
  type SharedProcess,
  takeLease,
} from './lease.ts'

/** What a server does so that what is written is whole. `expiryMs`: after how much silence the owner of the lease counts as lost. */
export function postgresBackend(
  db: PostgresDatabase,
  owner: SharedProcess,
  { expiryMs = leaseExpiryMs } = {},
): HistoryBackend {
  const lease: Lease = {
    async refuseOther() {
      await readLease(db, owner, db.displayName, { expiryMs })
    },
    requireFree: (transaction) => requireFreeLease(transaction, owner, db.displayName),
    take: (transaction) => takeLease(transaction, owner, db.displayName, expiryMs),
    isHeld: async (transaction, token) =>
      (await transaction.value('SELECT 1 FROM hookdrift.lease WHERE token = $1 FOR UPDATE', [token])) !== undefined,
    lock: lockLease,
    async release(session, token) {
      await session.run(releaseSql, [token])
    },
    keep: (token) => keepLease(db, owner, token),
  }
  return {
    db,
    lease,
    now: owner.now,
    commitSurely: (sure) => commitSurely(db, sure),
  }
}

/**
 * Executes a transaction. Where the answer to its COMMIT is lost, the server is asked what became of it.
 * @throws AuditError.failure when nothing was recorded, or when the server cannot be asked
 */
export async function commitSurely<Result>(
  db: PostgresDatabase,
  sure: SureWork<Result, PostgresTransaction>,
): Promise<Result> {
  let written: { readonly result: Result } | undefined
  try {
    return await db.transaction(async (transaction) => {
      await transaction.run(
        `SELECT set_config('synchronous_commit', 'on', true), set_config('idle_in_transaction_session_timeout', $1, true)`,
        [String(db.mostIdleMs)],
      )
      const result = await sure.work(transaction)
      written = { result }
      return result
    })
  } catch (error) {
    if (written === undefined) throw error
    if (await findOut(db, sure, written.result)) return written.result
    throw error
  }
}

/** Between attempts: about a minute, which a failover may take. */
const waitsMs = [0, 250, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

async function findOut<Result>(
  db: PostgresDatabase,
  { subject, advice, isRecorded }: SureWork<Result, PostgresTransaction>,
  result: Result,
): Promise<boolean> {
  let cause: unknown
  for (const waitMs of waitsMs) {
    await sleep(waitMs)
    try {
      return await db.transaction(async (transaction) => {
        await transaction.run("SELECT set_config('lock_timeout', $1, true)", [String(2 * db.mostIdleMs)])
        return isRecorded(transaction, result)
      })
    } catch (error) {
      if (!(error instanceof AuditError)) throw error
      cause = error
    }
  }
  throw AuditError.failure(`${db.displayName} does not answer: ${subject(result)} may be recorded, or not`, {
    advice,
    cause,
  })
}
