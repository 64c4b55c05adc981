import { AuditError } from '../model/errors.ts'

/** The process that wants to write: how a lease names it, and how it learns whether another owner is alive. */
export interface LeaseOwner {
  readonly host: string
  /** Scope of the process id: this boot of the machine and, in a container, its process namespace. */
  readonly bootId: string
  readonly pid: number
  /** Whether a process of this host and boot runs. */
  isAlive(pid: number): boolean
  /** Milliseconds since the epoch. */
  now(): number
  /** Prints a warning about the history. */
  warn?(text: string): void
  /** The mounts as in `/proc/self/mountinfo`; undefined where unavailable, or where the user skips the check. */
  mounts?(): string | undefined
  /** Calls repeatedly until the returned function is called. Keeps no process alive. */
  every(ms: number, call: () => void): () => void
}

export const heartbeatMs = 5_000
/** Two missed heartbeats and some slack. */
export const leaseExpiryMs = 12_000

export interface Lease {
  readonly host: string
  readonly bootId: string
  readonly pid: number
  readonly takenAt: string
  readonly heartbeatAt: string
}

/** Whether the owner of the lease counts as alive. A released lease has a heartbeat in 1970. */
export function isLeaseLive(lease: Lease, owner: LeaseOwner): boolean {
  if (owner.now() - Date.parse(lease.heartbeatAt) >= leaseExpiryMs) return false
  const isHere = lease.host === owner.host && lease.bootId === owner.bootId
  return !isHere || lease.pid === owner.pid || owner.isAlive(lease.pid)
}

/** Why a second run is refused. `place`: the history's file. */
export function leaseTaken({ pid, host, takenAt }: Lease, owner: LeaseOwner, place: string): AuditError {
  const ageS = Math.max(0, Math.round((owner.now() - Date.parse(takenAt)) / 1000))
  return AuditError.busy(
    `another run writes to ${place}: process ${pid} on ${host}, for ${ageS} s (since ${takenAt})`,
    {
      advice: 'wait for it to end, or give this run a history of its own with --history',
    },
  )
}

/** Why a run that lost its lease may not write. */
export function leaseLost(run: number, place: string): AuditError {
  return AuditError.busy(`run ${run} no longer owns the lease on ${place}: nothing more of it was written`, {
    advice: 'its process was paused for too long, or the run has ended; the next run scans again',
  })
}
