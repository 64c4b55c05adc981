/** Time as a parameter: nothing below `app/` reads the system's clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
