import type { ResolvedViolation, WaivedViolation } from '../history/reader.ts'
import type { Report } from '../model/report.ts'
import type { ReplayedWith } from './compliance.ts'

/** What was found in past runs: as it was recorded, or as another policy would have. */
export interface PolicyResults {
  /** What a run says. */
  resultsOf(run: number): Promise<{ readonly report: Report; readonly replayedWith?: ReplayedWith }>
  /** What was resolved in runs after `after`, before `run`: the latest first. */
  resolvedBefore(after: number, run: number): Promise<readonly ResolvedViolation[]>
  /** What was accepted in runs after `after`, up to `run`. */
  waivedBetween(after: number, run: number): Promise<readonly WaivedViolation[]>
}
