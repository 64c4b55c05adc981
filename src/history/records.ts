import type { Change, ChangeTimes } from '../model/change.ts'
import type { EvaluatedRule, ProjectEvaluation } from '../model/evaluation.ts'
import type { Gap } from '../model/gap.ts'
import type { Note } from '../model/note.ts'
import type { Notice } from '../model/notice.ts'
import type { PolicyFacts } from '../model/policy-facts.ts'
import type { ReportCoverage, ReportViolation } from '../model/report.ts'
import type { Kind, Listing } from '../model/resource.ts'
import type { RunScope } from '../model/run-scope.ts'
import type { AcceptedViolation, FailOn } from '../model/violation.ts'
import type { Cause } from './cause.ts'

/** What a policy evaluated. */
export interface PolicyEvaluation {
  /** Sorted by id. */
  readonly rules: readonly EvaluatedRule[]
  /** Sorted by name. */
  readonly projects: readonly ProjectEvaluation[]
  readonly policy: PolicyFacts
}

export interface RunContext extends PolicyEvaluation {
  readonly scope: RunScope
}

export type CompleteScans = Readonly<Partial<Record<Kind, CompleteScan>>>

export interface CompleteScan extends View {
  readonly run: number
  /** Version of the normal form of that run; undefined when unknown. */
  readonly normaliser?: number | undefined
}

export interface View {
  /** The listing that proved it, and the filter of its walk. */
  readonly listing: Listing
  readonly filter: string | null
}

export interface StagedChange extends Change {
  readonly referrers?: readonly string[]
  /** The run that first saw it so; absent: the one that stages it. */
  readonly firstRun?: number
  /** When it came about. `before`: null for the end of the run that stages it. */
  readonly between?: { readonly after: string | null; readonly before: string | null }
}

export interface RecordedChange extends Change {
  readonly project: string
  readonly referrers?: readonly string[]
  readonly between: ChangeTimes
}

/** `since`: the first run since when it was not read to its end; absent where it was. */
export interface RecordedWalk extends ReportCoverage {
  readonly since?: Gap['since']
}

/** A committed run as it was written. Lists are in the order of reports. */
export interface WrittenRun extends RunContext {
  readonly number: number
  readonly started_at: string
  readonly finished_at: string
  readonly fail_on: FailOn
  readonly tool_version: string
  readonly policy_digest: string
  readonly configuration_digest: string
  /** Digest of this run and of those before it, in hex; null before the commit, and for runs older than the chain. */
  readonly chain: string | null
  readonly coverage: readonly RecordedWalk[]
  readonly notices: readonly Notice[]
  readonly changes: readonly RecordedChange[]
  readonly violations: readonly RecordedViolation[]
  /** Acceptances of its projects that held during the run, oldest first. */
  readonly accepted: readonly AcceptedViolation[]
}

/** A committed run, with enough for any report. */
export interface RunRecord extends WrittenRun {
  /** Of its changes, and of those of earlier runs that are not mended; the worst first. */
  readonly causes: readonly Cause[]
  /** What people did while its changes came about, as far as it is recorded when this is read; the latest first. */
  readonly notes: readonly Note[]
}

/** A violation as a run left it; what was due when, and where it is shown, follows from the record of its project. */
export type RecordedViolation = Omit<ReportViolation, 'due_at' | 'ui_url'>
