import type { Severity } from './violation.ts'

/** How violations developed over a period that ends with a run. Times are ISO 8601 in UTC. */
export interface Trend {
  /** The period begins with the first run of the history, if that is later than what was asked for. */
  readonly from: string
  readonly to: string
  /** Periods of seven days up to `to`, oldest first; the first one may be shorter. */
  readonly weeks: readonly TrendWeek[]
  /** Open violations at the end of each day up to `to`, oldest first. */
  readonly days: readonly { readonly at: string; readonly open: number }[]
  readonly bySeverity: readonly SeverityTrend[]
}

export interface TrendWeek {
  readonly from: string
  readonly to: string
  readonly opened: number
  /** Proven by a scan: the problem is gone, or its resource is. */
  readonly fixed: number
  readonly removed: number
  /** Ended for another reason: the policy, a person, or time. */
  readonly closed: number
  /** Open at its end; what a scan could not check counts as open. */
  readonly open: number
  readonly runs: number
  /** Runs with a walk that was not complete. */
  readonly incomplete: number
}

export interface SeverityTrend {
  readonly severity: Severity
  readonly open: number
  /** When the oldest open one was first seen; null when none is open. */
  readonly oldestOpen: string | null
  /** Fixed or removed in the period. */
  readonly fixed: number
  /** From first seen to fixed or removed, in milliseconds; null when nothing was. */
  readonly meanTimeToFixMs: number | null
}
