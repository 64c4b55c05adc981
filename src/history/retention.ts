import type { CommittedRun } from './sql/runs.ts'

/** How many runs to keep, with restic's option names. `Infinity`: all. */
export interface RetentionRules {
  readonly last: number
  readonly hourly: number
  readonly daily: number
  readonly weekly: number
  readonly monthly: number
  readonly yearly: number
  /** All runs of this time before the newest one. */
  readonly within: RetentionSpan | undefined
}

export interface RetentionSpan {
  readonly years: number
  readonly months: number
  readonly days: number
  readonly hours: number
}

export const keepNothing: RetentionRules = {
  last: 0,
  hourly: 0,
  daily: 0,
  weekly: 0,
  monthly: 0,
  yearly: 0,
  within: undefined,
}

export function keepsSomething({ within, ...counts }: RetentionRules): boolean {
  return within !== undefined || Object.values(counts).some((count) => count > 0)
}

/** Reads `1y6m14d12h`: each part at most once, in any order. undefined for any other text and for a zero span. */
export function readSpan(text: string): RetentionSpan | undefined {
  if (!/^(?:\d{1,4}[ymdh]){1,4}$/.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+)([ymdh])/g)].map(([, count, unit]): [string, number] => [
    unit ?? '',
    Number(count),
  ])
  const of = Object.fromEntries(parts)
  const { y: years = 0, m: months = 0, d: days = 0, h: hours = 0 } = of
  if (Object.keys(of).length < parts.length || years + months + days + hours === 0) return undefined
  return { years, months, days, hours }
}

/**
 * Why each run is kept, by number; a run without a reason is not kept. As in restic: each count keeps the newest run of
 * that many hours, days, … that have one, and the oldest run of all while some of the count is left. Times are UTC.
 */
export function reasonsToKeep(
  runs: readonly CommittedRun[],
  keep: RetentionRules,
): ReadonlyMap<number, readonly string[]> {
  const newestFirst = runs.toSorted((a, b) => b.number - a.number)
  const [newest] = newestFirst
  if (newest === undefined) return new Map()
  const since = keep.within === undefined ? undefined : before(new Date(newest.started_at), keep.within)
  const buckets = Object.entries(bucketOf).map(([name, of]) => ({
    name,
    of,
    remaining: keep[name as keyof typeof bucketOf],
    last: '',
  }))
  const reasons = new Map<number, string[]>()
  for (const { number, started_at } of newestFirst) {
    const time = new Date(started_at)
    const why: string[] = []
    if (since !== undefined && time.getTime() > since) why.push('within')
    for (const bucket of buckets) {
      if (bucket.remaining <= 0) continue
      const value = bucket.of(time, number)
      const isOldest = number === newestFirst.at(-1)?.number
      if (value === bucket.last && !isOldest) continue
      why.push(value === bucket.last ? `oldest ${bucket.name}` : bucket.name)
      bucket.last = value
      bucket.remaining -= 1
    }
    if (why.length > 0) reasons.set(number, why)
  }
  return reasons
}

const bucketOf = {
  last: (_: Date, number: number) => `${number}`,
  hourly: (time: Date) => time.toISOString().slice(0, 13),
  daily: (time: Date) => time.toISOString().slice(0, 10),
  weekly: (time: Date) => mondayOf(time),
  monthly: (time: Date) => time.toISOString().slice(0, 7),
  yearly: (time: Date) => time.toISOString().slice(0, 4),
} as const

/** The Monday of a week: `2026-01-05`. */
function mondayOf(time: Date): string {
  const sinceMonday = (time.getUTCDay() + 6) % 7
  const monday = Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate() - sinceMonday)
  return new Date(monday).toISOString().slice(0, 10)
}

function before(time: Date, { years, months, days, hours }: RetentionSpan): number {
  return Date.UTC(
    time.getUTCFullYear() - years,
    time.getUTCMonth() - months,
    time.getUTCDate() - days,
    time.getUTCHours() - hours,
    time.getUTCMinutes(),
    time.getUTCSeconds(),
    time.getUTCMilliseconds(),
  )
}
