import { isLeaseLive, type LeaseOwner, type LeaseRow, leaseTaken } from '../lease-owner.ts'
import type { ChannelClaims } from '../outbox.ts'
import type { Session, Transaction } from '../sql/session.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** A process on the machine that the file is on, and how it learns whether another one is alive. */
export interface LocalProcess extends LeaseOwner {
  /** The mounts as in `/proc/self/mountinfo`; undefined where unavailable, or where the user skips the check. */
  mounts?(): string | undefined
}

interface FileLease extends LeaseRow {
  readonly heartbeatAt: string
}

function isLive(lease: FileLease, owner: LocalProcess): boolean {
  return isLeaseLive(lease, owner, owner.now() - Date.parse(lease.heartbeatAt))
}

/**
 * The lease row, when no live process owns it; undefined before the first run.
 * @throws AuditError.busy when another live process owns it
 */
export async function readLease(
  session: Session,
  owner: LocalProcess,
  displayName: string,
): Promise<(FileLease & { readonly token: number }) | undefined> {
  const lease = await session.get<FileLease & { readonly token: number }>(
    `SELECT token, host, boot_id AS "bootId", pid, taken_at AS "takenAt", heartbeat_at AS "heartbeatAt" FROM lease`,
  )
  if (lease !== undefined && isLive(lease, owner)) throw leaseTaken(lease, owner.now(), displayName)
  return lease
}

/**
 * Takes the lease for this process and returns its token.
 * @throws AuditError.busy as `readLease`
 */
export async function takeLease(transaction: Transaction, owner: LocalProcess, displayName: string): Promise<number> {
  const token = ((await readLease(transaction, owner, displayName))?.token ?? 0) + 1
  await transaction.run(
    `INSERT INTO lease (id, token, host, boot_id, pid, taken_at, heartbeat_at) VALUES (1, $1, $2, $3, $4, $5, $5)
     ON CONFLICT (id) DO UPDATE SET token = excluded.token, host = excluded.host, boot_id = excluded.boot_id,
       pid = excluded.pid, taken_at = excluded.taken_at, heartbeat_at = excluded.heartbeat_at`,
    [token, owner.host, owner.bootId, owner.pid, new Date(owner.now()).toISOString()],
  )
  return token
}

/** The token changes, so that a late write of the former owner fails. */
export const releaseSql =
  "UPDATE hookdrift.lease SET token = token + 1, heartbeat_at = '1970-01-01T00:00:00.000Z' WHERE token = $1"

export function sqliteClaims(database: SqliteDatabase, owner: LocalProcess): ChannelClaims {
  const now = () => new Date(owner.now()).toISOString()
  return {
    claim: (channel) =>
      database.transaction(async (transaction) => {
        const claimed = await transaction.get<FileLease>(
          `SELECT host, boot_id AS "bootId", pid, taken_at AS "takenAt", heartbeat_at AS "heartbeatAt"
           FROM channel WHERE name = $1`,
          [channel],
        )
        if (claimed === undefined || isLive(claimed, owner)) return undefined
        return transaction.value<number>(
          `UPDATE channel SET token = token + 1, host = $2, boot_id = $3, pid = $4, taken_at = $5, heartbeat_at = $5
           WHERE name = $1 RETURNING token`,
          [channel, owner.host, owner.bootId, owner.pid, now()],
        )
      }),
    async renew(channel, token) {
      const sql = 'UPDATE channel SET heartbeat_at = $3 WHERE name = $1 AND token = $2'
      return (await database.run(sql, [channel, token, now()])) === 1
    },
    async release(channel, token) {
      const sql = "UPDATE channel SET heartbeat_at = '1970-01-01T00:00:00.000Z' WHERE name = $1 AND token = $2"
      await database.run(sql, [channel, token])
    },
  }
}
