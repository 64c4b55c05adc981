import { AuditError } from '../model/errors.ts'

/** The process that wants to write, as a lease names it. */
export interface LeaseOwner {
  readonly host: string
  readonly pid: number
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
 * The lease of a history that was moved has an owner that never ends, on a host of this name and the new place. No host
 * is named so, and a program that does not know the name refuses to write too.
 */
export const movedTo = 'moved to '
/** When such an owner was last heard of: never too long ago. */
export const endOfTime = '9999-12-31T23:59:59.999Z'

/** Why a second run is refused. `place`: the history's file. */
export function leaseTaken(
  { pid, host, takenAt }: Pick<LeaseOwner, 'pid' | 'host'> & { readonly takenAt: string },
  now: number,
  place: string,
): AuditError {
  if (host.startsWith(movedTo)) {
    return AuditError.busy(`the history ${place} was ${host} at ${takenAt}, and takes no more runs`, {
      advice: 'name the new place; to move the history back, copy it from there: `hookdrift docs many-machines`',
    })
  }
  const ageS = Math.max(0, Math.round((now - Date.parse(takenAt)) / 1000))
  return AuditError.busy(
    `another run writes to ${place}: process ${pid} on ${host}, for ${ageS} s (since ${takenAt})`,
    { advice: 'wait for it to end, or give this run a history of its own' },
  )
}

/** Why a run that lost its lease may not write. */
export function leaseLost(run: number, place: string): AuditError {
  return AuditError.busy(`run ${run} no longer owns the lease on ${place}: nothing more of it was written`, {
    advice: 'its process was paused for too long, or the run has ended; the next run scans again',
  })
}
