import { z } from 'zod'
import type { Note } from './note.ts'
import { count, listOf, time } from './schema.ts'
import { severity, severityCounts } from './violation.ts'

/** How violations developed over a period that ends with a run. Times are ISO 8601 in UTC. */
export interface Trend {
  /** The period begins with the first run of the history, if that is later than what was asked for. */
  readonly from: string
  readonly to: string
  readonly weeks: readonly TrendWeek[]
  /** Days of UTC up to `to`, oldest first; the first and the last may be shorter. */
  readonly days: readonly TrendDay[]
  readonly all: OpenAndFixed
  /** What people did in it, the latest first. */
  readonly notes: readonly Note[]
  readonly bySeverity: readonly SeverityTrend[]
}

/** What happened to violations within a time. */
export type TrendStep = Omit<TrendWeek, 'from' | 'to' | 'open'>

const ended = {
  opened: count,
  fixed: count.describe('A scan proved that the problem is gone.'),
  removed: count.describe('A scan proved that the resource is gone.'),
  closed: count.describe('Ended by the policy, a person or time.'),
}
const waived = count.describe('At its end, those that a waiver covers: they are not open.')
const scanned = { runs: count, incomplete: count.describe('Runs with a walk that was not complete.') }

export const trendWeeks = listOf(
  z.object({
    from: time,
    to: time,
    ...ended,
    waived,
    open: count.describe('At its end; what a scan could not check counts as open.'),
    ...scanned,
  }),
).describe('Periods of seven days up to the run, oldest first; the first may be shorter.')
export type TrendWeek = z.infer<typeof trendWeeks>[number]

export const trendDay = z.object({
  date: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/)
    .describe('A day of UTC.'),
  ...ended,
  waived,
  open: severityCounts.describe('At its end, by severity; what a scan could not check counts as open.'),
  ...scanned,
})
export type TrendDay = z.infer<typeof trendDay>

/** When the oldest open violation was first seen, and how long it took to fix others in the period. */
export const openTimes = {
  oldest: time.nullable().describe('When the oldest open one was first seen.'),
  mean_time_to_fix_ms: count.nullable().describe('From first seen to fixed, in milliseconds; null when nothing was.'),
}

export const severityTrends = listOf(
  z.object({
    severity,
    open: count,
    fixed: count.describe('In the period, those of which a scan proved that the problem is gone.'),
    ...openTimes,
  }),
).describe('Every severity, the worst first.')
export type SeverityTrend = z.infer<typeof severityTrends>[number]

export type OpenAndFixed = Omit<SeverityTrend, 'severity'>
