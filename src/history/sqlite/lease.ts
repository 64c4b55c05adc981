import type { Database } from 'better-sqlite3'
import { isLeaseLive, type Lease, type LeaseOwner, leaseTaken } from '../lease-owner.ts'
import { closeAsInterrupted } from './close-as-interrupted.ts'

/**
 * The lease row, when no live process owns it; undefined before the first run.
 * @throws AuditError.busy when another live process owns it
 */
export function readLease(db: Database, owner: LeaseOwner): (Lease & { token: number }) | undefined {
  const lease = db
    .prepare<[], Lease & { token: number }>(
      `SELECT token, host, boot_id AS bootId, pid, taken_at AS takenAt, heartbeat_at AS heartbeatAt FROM lease`,
    )
    .get()
  if (lease !== undefined && isLeaseLive(lease, owner)) throw leaseTaken(lease, owner, db.name)
  return lease
}

/**
 * Takes the lease for this process and returns its token.
 * @throws AuditError.busy as `readLease`
 */
export function takeLease(db: Database, owner: LeaseOwner): number {
  const token = (readLease(db, owner)?.token ?? 0) + 1
  const now = new Date(owner.now()).toISOString()
  db.prepare(
    `INSERT INTO lease (id, token, host, boot_id, pid, taken_at, heartbeat_at) VALUES (1, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET token = excluded.token, host = excluded.host, boot_id = excluded.boot_id,
       pid = excluded.pid, taken_at = excluded.taken_at, heartbeat_at = excluded.heartbeat_at`,
  ).run(token, owner.host, owner.bootId, owner.pid, now, now)
  return token
}

/** The token changes, so that a late write of the former owner fails. */
export const releaseSql =
  "UPDATE lease SET token = token + 1, heartbeat_at = '1970-01-01T00:00:00.000Z' WHERE token = ?"

/** A run that is still `running` when this process takes the lease was killed. */
export function closeKilledRuns(db: Database, now: string): number[] {
  const killed = db.prepare<[], number>("SELECT number FROM run WHERE state = 'running' ORDER BY number").pluck().all()
  for (const run of killed) closeAsInterrupted(db, run, now)
  return killed
}
