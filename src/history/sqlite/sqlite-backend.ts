import { heartbeatMs } from '../lease-owner.ts'
import type { HistoryBackend, Lease } from '../sql/backend.ts'
import { type LocalProcess, readLease, releaseSql, takeLease } from './lease.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** What a file does so that what is written is whole. A commit to it is answered. */
export function sqliteBackend(db: SqliteDatabase, owner: LocalProcess): HistoryBackend {
  return {
    db,
    lease: sqliteLease(db, owner),
    now: owner.now,
    // Before hookdrift reports on a run, it must survive a power cut.
    commitSurely: ({ work }) => db.transaction(work, { isDurable: true }),
  }
}

function sqliteLease(db: SqliteDatabase, owner: LocalProcess): Lease {
  return {
    async refuseOther() {
      await readLease(db, owner, db.displayName)
    },
    // The transaction has the write lock.
    async requireFree(transaction) {
      await readLease(transaction, owner, db.displayName)
    },
    take: (transaction) => takeLease(transaction, owner, db.displayName),
    isHeld: async (transaction, token) =>
      (await transaction.value('SELECT 1 FROM hookdrift.lease WHERE token = $1', [token])) !== undefined,
    lock: async () => {},
    async release(session, token) {
      await session.run(releaseSql, [token])
    },
    keep: (token) =>
      owner.every(heartbeatMs, async () => {
        try {
          const now = new Date(owner.now()).toISOString()
          await db.run('UPDATE hookdrift.lease SET heartbeat_at = $1 WHERE token = $2', [now, token])
        } catch {
          // The file is locked, full or closed. The next heartbeat or the commit reports it.
        }
      }),
  }
}
