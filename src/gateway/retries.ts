import type { AttributesOf } from './fields.ts'

type RetryConfig = NonNullable<NonNullable<AttributesOf<'project'>['config']>['strategy']>

/** A retry setting that says all three: anything less is not a schedule to evaluate. */
export interface RetrySchedule {
  readonly type: string
  readonly tries: number
  readonly intervalSeconds: number
  /** From the first failure to the last try. Exponential: duration × (2^count − 1), uncapped. */
  readonly spanSeconds: number
}

/** The schedule read last: the rules of a subscription ask for the same one, one after the other. */
let last: { readonly config: RetryConfig; readonly schedule: RetrySchedule | undefined } | undefined

export function retryScheduleOf(config: RetryConfig | null | undefined): RetrySchedule | undefined {
  if (config === null || config === undefined) return undefined
  if (last?.config !== config) last = { config, schedule: read(config) }
  return last.schedule
}

/** undefined too where no try is ever made: other rules say so. */
export function scheduleWithTries(config: RetryConfig | null | undefined): RetrySchedule | undefined {
  const schedule = retryScheduleOf(config)
  return schedule?.tries === 0 ? undefined : schedule
}

function read({ type, duration, retry_count: tries }: RetryConfig): RetrySchedule | undefined {
  if (typeof type !== 'string' || typeof duration !== 'number' || typeof tries !== 'number') return undefined
  const steps = type === 'exponential' ? 2 ** tries - 1 : tries
  return { type, tries, intervalSeconds: duration, spanSeconds: duration * steps }
}

/** `1 retry`, `3 retries`; with an adjective `3 declared retries`. */
export function countRetries(tries: number, adjective = ''): string {
  return `${tries} ${adjective === '' ? '' : `${adjective} `}${tries === 1 ? 'retry' : 'retries'}`
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
