export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** Milliseconds since the epoch as ISO 8601 in UTC, with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Time as a parameter: nothing below `app/` reads the system's clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
