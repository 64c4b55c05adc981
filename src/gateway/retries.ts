import type { AttributesOf } from './fields.ts'

type Config = NonNullable<AttributesOf<'project'>['config']>
type Strategy = NonNullable<Config['strategy']>

/**
 * When the gateway tries a failed delivery again. Of Convoy v25.6.3, v26.3.6 and v26.7.3: `retry_count` is the number of
 * attempts, the first one included (`worker/task/process_event_delivery.go`); only `exponential` doubles the time between
 * two, up to a longest time (`retrystrategies`); the strategy of the project applies, and none that a subscription declares
 * (`worker/task/task.go`).
 */
export interface RetrySchedule {
  readonly type: string
  /** Attempts after the first one. */
  readonly retries: number
  readonly intervalSeconds: number
  /** From the first failure to the last retry. */
  readonly spanSeconds: number
}

/** The longest time between two attempts where `CONVOY_MAX_RETRY_SECONDS` says nothing else. */
const longestDelaySeconds = 7200

/** undefined where it does not say all three: anything less is not a schedule to evaluate. */
export function retryScheduleOf(strategy: Strategy | null | undefined): RetrySchedule | undefined {
  const { type, duration: seconds, retry_count: attempts } = strategy ?? {}
  if (typeof type !== 'string' || typeof seconds !== 'number' || typeof attempts !== 'number') return undefined
  const retries = Math.max(attempts - 1, 0)
  const spanSeconds = type === 'exponential' ? doublingSpan(seconds, retries) : seconds * retries
  return { type, retries, intervalSeconds: seconds, spanSeconds }
}

/** From a failed attempt to the next one, in seconds; `attempts`: those before it. Without the chance in it. */
export function retryDelay({ type, duration }: { type: string; duration: number }, attempts: number): number {
  return type === 'exponential' ? Math.min(duration * 2 ** attempts, longestDelaySeconds) : duration
}

/** Up to 5 s of chance that each delay has besides are left out. */
function doublingSpan(seconds: number, retries: number): number {
  if (seconds <= 0) return 0
  const doublings = Math.min(retries, Math.max(0, Math.floor(Math.log2(longestDelaySeconds / seconds)) + 1))
  return seconds * (2 ** doublings - 1) + longestDelaySeconds * (retries - doublings)
}

/**
 * After how long an outage, in seconds, the service makes an endpoint `inactive`, and discards its events from then on: as
 * soon as one delivery has used up its attempts, and also if the last one succeeded, so that 0 means the first delivery.
 * undefined: it never does, or that is not shown. A licensed circuit breaker that is on decides in its place.
 */
export function outageThatDisables(config: Pick<Config, 'disable_endpoint' | 'strategy'>): number | undefined {
  if (config.disable_endpoint !== true) return undefined
  const schedule = retryScheduleOf(config.strategy)
  return schedule && (schedule.retries === 0 ? 0 : Math.max(schedule.spanSeconds, 1))
}

/** `1 retry`, `3 retries` */
export function countRetries(retries: number): string {
  return `${retries} ${retries === 1 ? 'retry' : 'retries'}`
}

/** `90` → `90 s`, `5400` → `1.5 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${round(seconds / 60)} min`
  if (seconds < 172_800) return `${round(seconds / 3600)} h`
  if (seconds > 100 * 365 * 86_400) return 'more than 100 years'
  return `${round(seconds / 86_400)} d`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
