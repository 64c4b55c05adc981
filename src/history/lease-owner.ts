import { AuditError } from '../model/errors.ts'

/** The process that wants to write: how a lease says whose it is, and how one tells whether its holder still lives. */
export interface LeaseOwner {
  readonly host: string
  /** Where process ids mean the same: the machine since its start, and in a container its namespace of processes. */
  readonly bootId: string
  readonly pid: number
  /** Whether a process of this host and boot is there. */
  isAlive(pid: number): boolean
  /** Milliseconds since the epoch. */
  now(): number
  /** Tells the person something about the history that is no error. */
  warn?(text: string): void
  /** Its mounts, as `/proc/self/mountinfo` lists them; undefined where the system does not, or where a person vouches for them. */
  mounts?(): string | undefined
  /** Calls again and again until the returned function is called. Keeps no process alive. */
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

/** Whether the lease's holder must be taken for alive. A released lease has a heartbeat long past. */
export function isLeaseLive(lease: Lease, owner: LeaseOwner): boolean {
  if (owner.now() - Date.parse(lease.heartbeatAt) >= leaseExpiryMs) return false
  const isHere = lease.host === owner.host && lease.bootId === owner.bootId
  return !isHere || lease.pid === owner.pid || owner.isAlive(lease.pid)
}

/** What a second run is told. `place` is the history, as a person knows it. */
export function leaseTaken({ pid, host, takenAt }: Lease, owner: LeaseOwner, place: string): AuditError {
  const ageS = Math.max(0, Math.round((owner.now() - Date.parse(takenAt)) / 1000))
  return AuditError.busy(
    `another run writes to ${place}: process ${pid} on ${host}, for ${ageS} s (since ${takenAt})`,
    {
      advice: 'wait for it to end, or give this run a history of its own with --history',
    },
  )
}

/** What a run is told that goes on writing without the lease. */
export function leaseLost(run: number, place: string): AuditError {
  return AuditError.busy(`run ${run} no longer holds the lease on ${place}: nothing more of it was written`, {
    advice: 'its process was paused for too long, or the run has ended; the next run looks again',
  })
}
