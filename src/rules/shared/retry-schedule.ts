import type { RetryConfig } from '../engine/attributes.ts'

/** A retry setting that says all three: anything less is not a schedule to evaluate. */
export interface RetrySchedule {
  readonly type: string
  readonly tries: number
  readonly intervalSeconds: number
  /** From the first failure to the last try. Exponential: duration × (2^count − 1), uncapped. */
  readonly spanSeconds: number
}

export function retryScheduleOf(config: RetryConfig | null | undefined): RetrySchedule | undefined {
  const { type, duration, retry_count: tries } = config ?? {}
  if (typeof type !== 'string' || typeof duration !== 'number' || typeof tries !== 'number') return undefined
  const steps = type === 'exponential' ? 2 ** tries - 1 : tries
  return { type, tries, intervalSeconds: duration, spanSeconds: duration * steps }
}

/** `90` → `90 s`, `5400` → `1.5 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${round(seconds / 60)} min`
  if (seconds < 172_800) return `${round(seconds / 3600)} h`
  // A doubling schedule outgrows every calendar, and then every number.
  if (seconds > 100 * 365 * 86_400) return 'more than 100 years'
  return `${round(seconds / 86_400)} d`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
