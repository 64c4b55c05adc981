import { type DraftedRows, draftedColumns, runColumns } from '../draft/drafted-rows.ts'
import { heartbeatMs } from '../lease-owner.ts'
import type { Fence, HistoryBackend, Lease } from '../sql/backend.ts'
import type { Transaction } from '../sql/session.ts'
import type { RowCell } from '../table-rows.ts'
import { type LocalProcess, readLease, releaseSql, takeLease } from './lease.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** What a file does so that what is written is whole. A commit to it is answered. */
export function sqliteBackend(db: SqliteDatabase, owner: LocalProcess): HistoryBackend {
  return {
    db,
    lease: sqliteLease(db, owner),
    isAnswerCertain: true,
    now: owner.now,
    insertRows: (fence, rows) =>
      asLongAs(db, fence, async (transaction) => {
        for (const table of tables) await insertInto(transaction, table, rows)
      }),
    deleteRows: (fence, run, project) =>
      asLongAs(db, fence, async (transaction) => {
        for (const [table, column] of Object.entries(runColumns)) {
          await transaction.run(`DELETE FROM hookdrift.${table} WHERE ${column} = $1 AND project_id = $2`, [
            run,
            project,
          ])
        }
      }),
    // Before hookdrift reports on a run, it must survive a power cut.
    commitSurely: ({ work }) => db.transaction(work, { isDurable: true }),
  }
}

const tables = ['project', 'version', 'change', 'violation'] as const

async function insertInto(transaction: Transaction, table: keyof DraftedRows, rows: DraftedRows): Promise<void> {
  // Their members are the columns.
  const ofTable: readonly object[] = rows[table]
  if (ofTable.length === 0) return
  const columns = draftedColumns[table]
  await transaction.insert(
    table,
    columns,
    (ofTable as readonly Readonly<Record<string, RowCell>>[]).map((row) => columns.map((name) => row[name] ?? null)),
  )
}

/** A process that was paused while another one took the lease must leave no rows. */
function asLongAs(
  db: SqliteDatabase,
  fence: Fence,
  write: (transaction: Transaction) => Promise<void>,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    if ((await transaction.value(fence.sql(1), fence.values)) === undefined) return false
    await write(transaction)
    return true
  })
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
