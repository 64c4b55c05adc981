import type { HistoryBackend, Lease } from '../sql/backend.ts'
import { commitSurely } from './commit-surely.ts'
import type { PostgresDatabase } from './connect.ts'
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
import { deleteRows, insertRows } from './write-drafted.ts'

/** What a server does so that what is written is whole. `expiryMs`: after how much silence the owner of the lease counts as lost. */
export function postgresBackend(
  db: PostgresDatabase,
  owner: SharedProcess,
  { expiryMs = leaseExpiryMs } = {},
): HistoryBackend {
  const lease: Lease = {
    async refuseOther() {
      await readLease(db, owner, db.shown, { expiryMs })
    },
    requireFree: (transaction) => requireFreeLease(transaction, owner, db.shown),
    take: (transaction) => takeLease(transaction, owner, db.shown, expiryMs),
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
    isAnswerCertain: false,
    now: owner.now,
    insertRows: (fence, rows) => insertRows(db, fence, rows),
    deleteRows: (fence, run, project) => deleteRows(db, fence, run, project),
    commitSurely: (sure) => commitSurely(db, sure),
  }
}
