import { AuditError } from '../../model/errors.ts'
import { heartbeatMs, isLeaseLive, type LeaseOwner, type LeaseRow, leaseTaken } from '../lease-owner.ts'
import type { ChannelClaims } from '../outbox.ts'
import type { Session } from '../sql/session.ts'
import type { PostgresDatabase } from './connect.ts'

/** A process that may own the lease of a history that several machines share. */
export interface SharedProcess extends LeaseOwner {
  /** Whether `now` counts instead of the server's clock, which is the only one that all machines share. */
  readonly usesLocalClock?: boolean
}

/** Three missed heartbeats: a server may be slower to answer than a file. */
export const leaseExpiryMs = 15_000

/**
 * After which the owner of a run counts as lost for the one to which its job was given: that was silent for ten seconds,
 * and may have renewed its lease up to a heartbeat before its end. Its late writes fail in any case.
 */
export const successionMs = 7_000

interface ServerLease extends LeaseRow {
  readonly token: number
  /** Since the last heartbeat. */
  readonly ageMs: number
}

/** SQL of the current time: the server's, unless the process has a clock of its own. */
export function nowSql(owner: SharedProcess): string {
  return owner.usesLocalClock === true ? `'${new Date(owner.now()).toISOString()}'::timestamptz` : 'clock_timestamp()'
}

/** SQL of the columns of a `ServerLease`. */
function leaseColumns(owner: SharedProcess): string {
  return `token, host, boot_id AS "bootId", pid,
    ${takenAtSql},
    (extract(epoch FROM ${nowSql(owner)} - heartbeat_at) * 1000)::float8 AS "ageMs"`
}

/**
 * The token of the lease, when no live process owns it; 0 before the first run. Locks the lease until the transaction
 * ends: `FOR UPDATE`, or not where there is none.
 * @throws AuditError.busy when another live process owns it
 */
export async function readLease(
  session: Session,
  owner: SharedProcess,
  displayName: string,
  { lock = '', expiryMs = leaseExpiryMs } = {},
): Promise<number> {
  const lease = await session.get<ServerLease>(`SELECT ${leaseColumns(owner)} FROM hookdrift.lease ${lock}`)
  if (lease === undefined) return 0
  if (isLeaseLive(lease, owner, lease.ageMs, expiryMs)) throw leaseTaken(lease, owner.now(), displayName)
  return lease.token
}

/** SQL of when a lease was taken. */
const takenAtSql = `to_char(taken_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "takenAt"`

/** Makes the row to lock, before the first run of a history. */
const leaseRowSql = `INSERT INTO hookdrift.lease (id, token, host, boot_id, pid, taken_at, heartbeat_at)
  VALUES (1, 0, '', '', 0, 'epoch', 'epoch') ON CONFLICT (id) DO NOTHING`

/** Waits until another transaction that has the lease locked has ended, and locks it. */
export async function lockLease(session: Session): Promise<void> {
  await session.run(leaseRowSql)
  await session.run('SELECT 1 FROM hookdrift.lease FOR UPDATE')
}

/**
 * Keeps others from it until the transaction ends.
 * @throws AuditError.busy as `readLease`, and while a run of a pool waits for another coordinator, when no process owns it
 */
export async function requireFreeLease(session: Session, owner: SharedProcess, displayName: string): Promise<void> {
  await session.run(leaseRowSql)
  await readLease(session, owner, displayName, { lock: 'FOR UPDATE' })
  const run = await session.value<number>(handedOverSql)
  if (run === undefined) return
  throw AuditError.busy(`run ${run} writes to ${displayName}, and waits for a worker that coordinates it`, {
    advice: 'wait for it to end, or for the end of its `run_timeout`',
  })
}

/** After the end of its time, a run still takes what its workers left. */
const handedOverSql = `SELECT p.run FROM hookdrift.run_plan p JOIN hookdrift.run r ON r.number = p.run
  WHERE r.state = 'running' AND p.ended_at IS NULL AND p.stop_at > clock_timestamp() - interval '1 minute' LIMIT 1`

/**
 * Takes the lease for this process and returns its token, within a transaction. `expiryMs`: after how much silence its
 * owner counts as lost.
 * @throws AuditError.busy as `readLease`
 */
export async function takeLease(
  session: Session,
  owner: SharedProcess,
  displayName: string,
  expiryMs = leaseExpiryMs,
): Promise<number> {
  const now = nowSql(owner)
  await session.run(leaseRowSql)
  const token = (await readLease(session, owner, displayName, { lock: 'FOR UPDATE', expiryMs })) + 1
  await session.run(
    `UPDATE hookdrift.lease SET token = $1, host = $2, boot_id = $3, pid = $4, taken_at = ${now}, heartbeat_at = ${now}`,
    [token, owner.host, owner.bootId, owner.pid],
  )
  return token
}

/** The token changes, so that a late write of the former owner fails. */
export const releaseSql = "UPDATE hookdrift.lease SET token = token + 1, heartbeat_at = 'epoch' WHERE token = $1"

export function postgresClaims(db: PostgresDatabase, owner: SharedProcess): ChannelClaims {
  return {
    claim: (channel) =>
      db.transaction(async (transaction) => {
        const claimed = await transaction.get<ServerLease>(
          `SELECT ${leaseColumns(owner)} FROM hookdrift.channel WHERE name = $1 FOR UPDATE`,
          [channel],
        )
        if (claimed === undefined || isLeaseLive(claimed, owner, claimed.ageMs, leaseExpiryMs)) return undefined
        const now = nowSql(owner)
        return transaction.value<number>(
          `UPDATE hookdrift.channel SET token = token + 1, host = $2, boot_id = $3, pid = $4, taken_at = ${now},
             heartbeat_at = ${now} WHERE name = $1 RETURNING token`,
          [channel, owner.host, owner.bootId, owner.pid],
        )
      }),
    async renew(channel, token) {
      const sql = `UPDATE hookdrift.channel SET heartbeat_at = ${nowSql(owner)} WHERE name = $1 AND token = $2`
      return (await db.run(sql, [channel, token])) === 1
    },
    async release(channel, token) {
      const sql = "UPDATE hookdrift.channel SET heartbeat_at = 'epoch' WHERE name = $1 AND token = $2"
      await db.run(sql, [channel, token])
    },
  }
}

/** Renews the lease until the returned function is called. */
export function keepLease(db: PostgresDatabase, owner: SharedProcess, token: number): () => void {
  let isRenewing = false
  return owner.every(heartbeatMs, async () => {
    if (isRenewing) return
    isRenewing = true
    try {
      await db.run(`UPDATE hookdrift.lease SET heartbeat_at = ${nowSql(owner)} WHERE token = $1`, [token])
    } catch {
      // The server is away or full. The next heartbeat or the commit reports it.
    } finally {
      isRenewing = false
    }
  })
}
