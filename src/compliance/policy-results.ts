import type { ResolvedViolation, WaivedViolation } from '../history/reader.ts'
import type { Report } from '../model/report.ts'
import type { ReplayedWith } from './compliance.ts'

/** Results of past runs: the recorded ones, or those of a replay under another policy. */
export interface PolicyResults {
  /** The report of a run. */
  resultsOf(run: number): Promise<{ readonly report: Report; readonly replayedWith?: ReplayedWith }>
  /** Violations that runs after `after` and before `run` resolved, the latest first. */
  resolvedBefore(after: number, run: number): Promise<readonly ResolvedViolation[]>
  /** Violations that were waived in runs after `after`, up to `run`. */
  waivedBetween(after: number, run: number): Promise<readonly WaivedViolation[]>
}
