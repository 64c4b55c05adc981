/** The process that wants to write: how a lease says whose it is, and how one tells whether its holder still lives. */
export interface Holder {
  readonly host: string
  /** Changes when the machine starts anew. */
  readonly bootId: string
  readonly pid: number
  /** Whether a process of this host and boot is there. */
  isAlive(pid: number): boolean
  /** Milliseconds since the epoch. */
  now(): number
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
export function isHeld(lease: Lease, holder: Holder): boolean {
  if (holder.now() - Date.parse(lease.heartbeatAt) >= leaseExpiryMs) return false
  const isHere = lease.host === holder.host && lease.bootId === holder.bootId
  return !isHere || lease.pid === holder.pid || holder.isAlive(lease.pid)
}
