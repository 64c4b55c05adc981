import type { RecordedViolation } from '../history/records.ts'
import type { RecordedPolicy } from '../history/sql/read-run.ts'
import type { ResolvedViolation, WaivedViolation } from '../history/sql/violations.ts'
import type { PolicyFacts } from '../model/policy-facts.ts'
import type { Report } from '../model/report.ts'
import type { RunScope } from '../model/run-scope.ts'
import type { ReplayedWith } from './compliance.ts'

export interface RunResults {
  readonly report: Report
  readonly policy: PolicyFacts
  readonly scope: RunScope
  readonly replayedWith?: ReplayedWith
}

/** Results of past runs: the recorded ones, or those of a replay under another policy. */
export interface PolicyResults {
  /** The report of a run, and what its policy leaves out. */
  resultsOf(run: number): Promise<RunResults>
  /** Violations as of a run in projects that it did not scan, in the order of reports. */
  elsewhere(run: number): Promise<readonly RecordedViolation[]>
  /** Violations that people or the policy ended by a run, and of which the value is still there; the latest first. */
  silenced(run: number): Promise<readonly ResolvedViolation[]>
  /** What the policies of runs after `after`, up to `run`, left out. */
  policiesBetween(after: number, run: number): Promise<readonly RecordedPolicy[]>
  /** Violations that runs after `after` and before `run` resolved, the latest first. */
  resolvedBefore(after: number, run: number): Promise<readonly ResolvedViolation[]>
  /** Violations that were waived in runs after `after`, up to `run`. */
  waivedBetween(after: number, run: number): Promise<readonly WaivedViolation[]>
}
