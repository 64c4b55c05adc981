import type { Note } from './note.ts'
import type { Severity } from './violation.ts'

/** How violations developed over a period that ends with a run. Times are ISO 8601 in UTC. */
export interface Trend {
  /** The period begins with the first run of the history, if that is later than what was asked for. */
  readonly from: string
  readonly to: string
  /** Periods of seven days up to `to`, oldest first; the first one may be shorter. */
  readonly weeks: readonly TrendWeek[]
  /** Days of UTC up to `to`, oldest first; the first and the last may be shorter. */
  readonly days: readonly TrendDay[]
  readonly all: OpenAndFixed
  /** What people did in it, the latest first. */
  readonly notes: readonly Note[]
  readonly bySeverity: readonly SeverityTrend[]
}

/** What happened to violations within a time. */
export interface TrendStep {
  readonly opened: number
  /** Proven by a scan: the problem is gone, or its resource is. */
  readonly fixed: number
  readonly removed: number
  /** Ended for another reason: the policy, a person, or time. */
  readonly closed: number
  readonly runs: number
  /** Runs with a walk that was not complete. */
  readonly incomplete: number
}

export interface TrendWeek extends TrendStep {
  readonly from: string
  readonly to: string
  /** Open at its end; what a scan could not check counts as open. */
  readonly open: number
}

export interface TrendDay extends TrendStep {
  /** Such as 2026-11-21. */
  readonly date: string
  /** Open at its end, by severity; what a scan could not check counts as open. */
  readonly open: Readonly<Record<Severity, number>>
}

export interface SeverityTrend extends OpenAndFixed {
  readonly severity: Severity
}

export interface OpenAndFixed {
  readonly open: number
  /** When the oldest open one was first seen; null when none is open. */
  readonly oldestOpen: string | null
  /** In the period: a scan proved that the problem is gone. */
  readonly fixed: number
  /** From first seen to fixed, in milliseconds; null when nothing was. */
  readonly meanTimeToFixMs: number | null
}
