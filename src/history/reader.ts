import type { Coverage } from '../model/coverage.ts'
import type { ExitCode } from '../model/errors.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import type { Kind, Listing, ProjectRef } from '../model/resource.ts'
import type { Waiver } from '../model/violation.ts'
import type { CompleteScans, RecordedViolation, RunRecord } from './records.ts'

/**
 * What a history answers. Sealed runs only; what is asked "as of" a run stays the same whatever comes after it, so
 * several questions about one run agree while another is being written.
 */
export interface HistoryReader {
  /** Sealed runs, oldest first. */
  runs(): Promise<readonly CommittedRun[]>
  /** The newest of them; undefined where there is none. A history may have a run for every minute of years. */
  lastRun(): Promise<CommittedRun | undefined>
  /** The last `most` runs that ended, sealed or interrupted, newest first, and how many there are. */
  endedRuns(most: number): Promise<{ readonly runs: readonly EndedRun[]; readonly total: number }>
  /** All that a sealed run has to say; undefined when there is no sealed run of that number. */
  readRun(number: number): Promise<RunRecord | undefined>

  /** The last look at every project of a service as of a run, sorted by the project's name; or at that one alone. */
  latestScans(run: number, only?: ProjectRef): Promise<readonly RecordedScan[]>
  /** The last complete look at each kind of a project as of a run. */
  completeScansAt(project: ProjectRef, run: number): Promise<CompleteScans>
  /** What stood as of a run, each project as its last look left it; in the order of reports. */
  violationsAt(run: number): Promise<readonly RecordedViolation[]>
  /** What was resolved in runs after `after`, up to `run`: the latest first, then in the order of reports. */
  resolvedBetween(after: number, run: number): Promise<readonly ResolvedViolation[]>
  /** Violations that were accepted in some run after `after`, up to `run`; once for each waiver, in no order. */
  waivedBetween(after: number, run: number): Promise<readonly WaivedViolation[]>
  /** Resources of a project as of a run, by kind and uid. */
  stateAt(project: ProjectRef, run: number, kind?: Kind): Promise<readonly ResourceAtRun[]>
  /** Resources of which another version stood at `to` than at `from`, an earlier run; by project, kind and uid. */
  differing(from: number, to: number): Promise<readonly Differing[]>

  /** What a sealed run was given and noted; undefined when there is no sealed run of that number. */
  runInputs(run: number): Promise<RunInputs | undefined>

  /** Where a uid was ever seen as of a run. */
  find(uid: string, run: number): Promise<readonly Identity[]>
  /** All versions of a resource as of a run, oldest first. */
  versionsOf(identity: Identity, run: number): Promise<readonly VersionSpan[]>
  /** All spans of a resource's violations as of a run, oldest first. */
  violationsOf(identity: Identity, run: number): Promise<readonly ViolationSpan[]>
  /** Subscriptions that referred to a resource, as of a run, by uid. */
  referrersOf(identity: Identity, run: number): Promise<readonly Referrer[]>

  close(): Promise<void>
}

export interface CommittedRun {
  readonly number: number
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly finishedAt: string
}

export interface EndedRun extends CommittedRun {
  readonly isCommitted: boolean
  /** null for an interrupted one. */
  readonly exitCode: ExitCode | null
  readonly walks: number
  /** Walks that were neither complete nor skipped. */
  readonly incomplete: number
  readonly changes: number
}

export interface RecordedScan {
  /** With the name that it had then. */
  readonly project: ProjectRef
  readonly run: CommittedRun
  readonly coverage: readonly Coverage[]
  /** The first look of those without a complete one behind them; undefined when the last was complete. */
  readonly incompleteSince: CommittedRun | undefined
}

export interface ResolvedViolation extends RecordedViolation {
  readonly run: number
  /** Start of that run. */
  readonly resolvedAt: string
}

export interface WaivedViolation {
  readonly fingerprint: string
  readonly rule: string
  readonly waiver: Waiver
}

/** A version as it is kept: canonical JSON, not parsed, because many are asked for and few are looked into. */
export interface KeptVersion {
  readonly name: string
  readonly fromRun: number
  readonly digest: string
  readonly body: string
  readonly sealKeyId: string
}

/** With all that rules judge by. */
export interface EvaluableVersion extends KeptVersion {
  /** Start of the run that saw it so first. */
  readonly since: string
  /** Canonical JSON; empty when there are none. */
  readonly facts: string
}

export interface ResourceAtRun extends KeptVersion {
  readonly kind: Kind
  readonly uid: string
  /** Start of the run that saw it so first. */
  readonly since: string
  /** No subscription refers to it, and it is not listed itself. */
  readonly isUnreferenced: boolean
}

export interface Differing {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
  readonly before: EvaluableVersion | undefined
  readonly after: EvaluableVersion | undefined
}

/** What a run was given, and what it noted that is no state: for those who judge it again. */
export interface RunInputs {
  readonly configurationDigest: string
  /** Which installation key sealed what it wrote. */
  readonly sealKeyId: string
  /** Sorted by project; empty for runs of a time when this was not kept. */
  readonly projects: readonly ProjectEvaluation[]
  readonly changes: RunRecord['changes']
  /** What walks missed and were not believed. */
  readonly withheldRemovals: readonly (ProjectKey & { readonly listing: Listing; readonly uids: readonly string[] })[]
  /** What nothing refers to any more as of the run. */
  readonly unreferenced: readonly (ProjectKey & { readonly kind: Kind; readonly uid: string })[]
}

export interface ProjectKey {
  readonly project: Pick<ProjectRef, 'service' | 'uid'>
}

export interface Identity {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
}

export interface VersionSpan extends KeptVersion {
  /** Starts of the runs that wrote and ended it. */
  readonly from: string
  readonly toRun: number | null
  readonly to: string | null
  /** Whether the run that wrote it found it new. */
  readonly isAdded: boolean
}

export interface ViolationSpan extends Omit<RecordedViolation, 'project' | 'firstSeen' | 'lastSeen' | 'state'> {
  readonly state: 'open' | 'unknown' | 'waived'
  readonly fromRun: number
  readonly from: string
  readonly toRun: number | null
  readonly to: string | null
  /** Whether this span goes on where another ended, and whether another goes on where it ends. */
  readonly isContinued: boolean
  readonly goesOn: boolean
}

export interface Referrer {
  readonly uid: string
  readonly name: string
  readonly fromRun: number
  readonly from: string
  readonly toRun: number | null
  readonly to: string | null
}
