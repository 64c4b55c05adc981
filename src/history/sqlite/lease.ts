import type { Database } from 'better-sqlite3'
import { isLeaseLive, type Lease, type LeaseOwner, leaseTaken } from '../lease-owner.ts'
import { closeAsInterrupted } from './close-as-interrupted.ts'

/**
 * The lease that nobody holds any more.
 * @throws AuditError.busy when another live process holds it
 */
export function readLease(db: Database, owner: LeaseOwner): (Lease & { token: number }) | undefined {
  const held = db
    .prepare<[], Lease & { token: number }>(
      `SELECT token, host, boot_id AS bootId, pid, taken_at AS takenAt, heartbeat_at AS heartbeatAt FROM lease`,
    )
    .get()
  if (held !== undefined && isLeaseLive(held, owner)) throw leaseTaken(held, owner, db.name)
  return held
}

/** Takes the lease for this process and returns its token; refuses as `readLease`. */
export function takeLease(db: Database, owner: LeaseOwner): number {
  const held = readLease(db, owner)
  const token = (held?.token ?? 0) + 1
  const now = new Date(owner.now()).toISOString()
  db.prepare(
    `INSERT INTO lease (id, token, host, boot_id, pid, taken_at, heartbeat_at) VALUES (1, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET token = excluded.token, host = excluded.host, boot_id = excluded.boot_id,
       pid = excluded.pid, taken_at = excluded.taken_at, heartbeat_at = excluded.heartbeat_at`,
  ).run(token, owner.host, owner.bootId, owner.pid, now, now)
  return token
}

/** The token moves on, so that a straggler can write nothing after the end. */
export const releaseSql =
  "UPDATE lease SET token = token + 1, heartbeat_at = '1970-01-01T00:00:00.000Z' WHERE token = ?"

/** A run that still calls itself running, now that the lease is ours, was killed. */
export function closeKilledRuns(db: Database, now: string): number[] {
  const killed = db.prepare<[], number>("SELECT number FROM run WHERE state = 'running' ORDER BY number").pluck().all()
  for (const run of killed) closeAsInterrupted(db, run, now)
  return killed
}
