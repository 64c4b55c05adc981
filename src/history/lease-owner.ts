import { AuditError } from '../model/errors.ts'

/** The process that wants to write, as a lease names it. */
export interface LeaseOwner {
  readonly host: string
  readonly pid: number
  /** Scope of the process id: this boot of the machine and, in a container, its process namespace. */
  readonly bootId: string
  /** Whether a process of this host and boot runs. */
  isAlive(pid: number): boolean
  /** Milliseconds since the epoch. */
  now(): number
  /** Prints a warning about the history. */
  warn?(text: string): void
  /** Calls repeatedly until the returned function is called. Keeps no process alive. */
  every(ms: number, call: () => void): () => void
}

export const heartbeatMs = 5_000
/** Two missed heartbeats and some slack. */
export const leaseExpiryMs = 12_000

/**
 * The lease of a history that was moved has an owner that never ends, on a host of this name and the new location. No host
 * is named so, and a program that does not know the name refuses to write too.
 */
export const movedTo = 'moved to '
/** When such an owner was last heard of: never too long ago. */
export const endOfTime = '9999-12-31T23:59:59.999Z'

/** Where a history was moved to, as messages show it, and when. */
export interface Move {
  readonly to: string
  readonly at: string
}

/** undefined where the history was not moved. */
export function moveOf(lease: { readonly host: string; readonly takenAt: string } | undefined): Move | undefined {
  if (!lease?.host.startsWith(movedTo)) return undefined
  return { to: lease.host.slice(movedTo.length), at: lease.takenAt }
}

/** A lease, or the claim of a channel. */
export interface LeaseRow {
  readonly host: string
  readonly bootId: string
  readonly pid: number
  readonly takenAt: string
}

/** Whether the owner of a lease counts as alive. A released lease has a heartbeat in 1970. `ageMs`: since the last one. */
export function isLeaseLive(lease: LeaseRow, owner: LeaseOwner, ageMs: number, expiryMs = leaseExpiryMs): boolean {
  if (moveOf(lease) !== undefined) return true
  // By a clock that was ahead, the last heartbeat lies in the future.
  if (Math.abs(ageMs) >= expiryMs) return false
  const isHere = lease.host === owner.host && lease.bootId === owner.bootId
  return !isHere || lease.pid === owner.pid || owner.isAlive(lease.pid)
}

/** Why a second run is refused. `displayName`: of the history. */
export function leaseTaken(
  { pid, host, takenAt }: Omit<LeaseRow, 'bootId'>,
  now: number,
  displayName: string,
): AuditError {
  const move = moveOf({ host, takenAt })
  if (move !== undefined) return AuditError.busy(describeMove(displayName, move), { advice: moveAdvice })
  const ageS = Math.max(0, Math.round((now - Date.parse(takenAt)) / 1000))
  return AuditError.busy(
    `another run writes to ${displayName}: process ${pid} on ${host}, for ${ageS} s (since ${takenAt})`,
    { advice: 'wait for it to end, or give this run a history of its own' },
  )
}

/** `displayName`: of the history that was moved. */
export function describeMove(displayName: string, { to, at }: Move): string {
  return `the history ${displayName} was moved to ${to} at ${at}, and takes no more runs`
}

export const moveAdvice =
  'name the new place; to move the history back, copy it from there: `hookdrift docs many-machines`'

/** Why a run that lost its lease may not write. */
export function leaseLost(run: number, displayName: string): AuditError {
  return AuditError.busy(`run ${run} no longer owns the lease on ${displayName}: nothing more of it was written`, {
    advice: 'its process was paused for too long, or the run has ended; the next run scans again',
  })
}
