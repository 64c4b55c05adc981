import type { Coverage } from '../model/coverage.ts'
import type { ExitCode } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { ProjectNotice } from '../model/notice.ts'
import type { Facts, Kind, Listing, ProjectRef } from '../model/resource.ts'
import type { Finding, Severity, Waiver } from '../model/violation.ts'
import type { Approval, Approvals, ApprovedBody } from './approvals.ts'
import type { ComposeNotifications } from './notification-facts.ts'
import type { Outbox } from './outbox.ts'
import type { HistoryReader } from './reader.ts'
import type { CompleteScans, RunContext, RunRecord, StagedChange } from './records.ts'

/**
 * What is kept of past runs. Primitives only: what a change or a resolution is gets decided above. Asynchronous, so
 * that a backend may live elsewhere; no SQL crosses it.
 *
 * A run is drafted page by page and becomes visible in one seal. Readers see the history before it or after it.
 */
export interface History extends HistoryReader, Approvals, Outbox {
  /**
   * Starts a run and holds the lease until it is sealed or abandoned. Whatever a killed run left is removed first
   * and the run closed as interrupted.
   * @throws AuditError.busy when another live run holds the lease
   */
  begin(start: RunStart): Promise<Draft>
}

export interface RunStart {
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly failOn: Severity
  readonly toolVersion: string
  readonly policyDigest: string
  readonly configurationDigest: string
  /** Which installation key seals what this run writes. */
  readonly sealKeyId: string
  /** Version of the normal form in which it sees resources. */
  readonly normaliser?: number
}

/**
 * One run being written. Nothing of it is visible before `seal`. A project is scanned when its scan is staged; of others
 * a run says nothing. Uids are well-formed text.
 *
 * Whatever writes throws AuditError.busy once the lease is lost or the run has ended, and AuditError.failure when the place
 * cannot be written: a straggler leaves nothing.
 */
export interface Draft {
  readonly run: number
  /** Runs that were found killed and closed. */
  readonly interrupted: readonly number[]

  /** The last complete look at each kind of a project, before this run. */
  lastCompleteScans(project: ProjectRef): Promise<CompleteScans>
  /** The last run before this one that scanned the project. */
  lastScannedRun(project: ProjectRef): Promise<number | undefined>
  /**
   * What the last walk of a listing that reached its end, before this run, missed and was not believed; undefined when
   * nothing of it was withheld.
   */
  previouslyWithheld(project: ProjectRef, listing: Listing): Promise<readonly string[] | undefined>
  /** The last shape that was staged of a listing, as sorted paths. */
  lastShape(project: ProjectRef, listing: Listing): Promise<readonly string[] | undefined>

  /** Current versions of some resources, by uid; those without one are left out. */
  known(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<ReadonlyMap<string, KnownVersion>>
  /** Bodies of versions, by version id. */
  bodies(versions: readonly number[]): Promise<ReadonlyMap<number, StoredBody>>
  /** The version of a resource that was valid in a run before this one. */
  versionAt(project: ProjectRef, kind: Kind, uid: string, run: number): Promise<StoredBody | undefined>

  /** The approved state that holds for a project; undefined when there is none. */
  approved(project: ProjectRef): Promise<Approval | undefined>
  /** A resource in an approved state. */
  approvedBody(approval: Approval, kind: Kind, uid: string): Promise<ApprovedBody | undefined>
  /** What an approved state holds of a kind. */
  approvedUids(approval: Approval, kind: Kind): Promise<readonly string[]>
  /** Modifications of a project's resources that runs since a time (ISO 8601, UTC) found, oldest first. */
  modifiedSince(project: ProjectRef, time: string): Promise<readonly Modification[]>

  /** Writes new versions and marks what was seen as it was known. */
  stage(project: ProjectRef, page: StagedPage): Promise<void>
  stageChanges(project: ProjectRef, changes: readonly StagedChange[]): Promise<void>
  /** Current versions of a kind that this run has neither seen nor replaced. */
  unseen(project: ProjectRef, kind: Kind): Promise<readonly UnseenVersion[]>
  /** Ends versions at this run. */
  endVersions(versions: readonly number[]): Promise<void>
  /** Uids of current subscriptions, by the uid of the source they use. */
  referrers(project: ProjectRef, sources: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Marks resources as no longer referenced, and takes the mark from the others of that kind; returns the newly marked. */
  markUnreferenced(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly string[]>

  /** Violations that stood before this run, of some resources. */
  activeViolations(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly ActiveViolation[]>
  stageViolations(project: ProjectRef, page: StagedViolations): Promise<void>
  /** Violations of a project that stood before this run and were neither confirmed nor replaced by it. */
  unconfirmedViolations(project: ProjectRef): Promise<readonly ActiveViolation[]>
  /** Those of some rules, in some projects at once; by the project's name, where there are any. */
  unconfirmedBy(
    rules: readonly string[],
    projects: readonly ProjectRef[],
  ): Promise<ReadonlyMap<string, readonly ActiveViolation[]>>
  endViolations(violations: readonly number[]): Promise<void>

  /** Says that the run scans a project. The policy is scanned like a project, and has no walks. */
  stageScan(project: ProjectRef): Promise<void>
  /**
   * What the walk of a listing proved, as part of a scan that was staged. The last call for a listing counts. `shape`:
   * where it differs from the last one.
   */
  stageWalk(project: ProjectRef, coverage: Coverage, shape: readonly string[] | undefined): Promise<void>
  /** About a project that is scanned, or one of its listings; `undefined`: about the run. */
  stageNotice(project: ProjectRef | undefined, notice: ProjectNotice): Promise<void>
  /** Remembers what a suspect walk missed. */
  withholdRemovals(project: ProjectRef, listing: Listing, uids: readonly string[]): Promise<void>
  /** What the run judges with and what it looked at; kept once for all runs that say the same. */
  stageContext(context: RunContext): Promise<void>
  /** Forgets all resources, changes, violations and notices that this run staged, marked, ended or confirmed of a project. */
  discard(project: ProjectRef): Promise<void>

  /**
   * Makes the run part of the history, all at once, with the exit code that its record gives and the messages that tell
   * of it.
   * @throws AuditError.busy when the lease was lost meanwhile: then nothing was written
   */
  commit(
    finishedAt: string,
    exitCodeOf: (record: RunRecord) => ExitCode,
    tell?: ComposeNotifications,
  ): Promise<RunRecord>
  /** Gives the run up: it is recorded as interrupted, with nothing of it left in the state. */
  abandon(finishedAt: string): Promise<void>
}

export interface KnownVersion {
  readonly id: number
  readonly uid: string
  readonly fromRun: number
  readonly digest: string
  readonly sealKeyId: string
}

export interface StoredBody {
  readonly name: string
  /** The run that first saw it so, and when that run started (ISO 8601). */
  readonly fromRun: number
  readonly since: string
  readonly attributes: JsonObject
  readonly facts: Facts
  readonly sealKeyId: string
  readonly normaliser: number
}

export interface NewVersion {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly digest: string
  /** Canonical JSON of the attributes. */
  readonly body: string
  /** Canonical JSON of the facts; empty when there are none. */
  readonly facts: string
  readonly normaliser: number
  readonly replaces: number | undefined
}

export interface StagedPage {
  /** Ids of current versions that were seen unchanged. */
  readonly seen: readonly number[]
  readonly versions: readonly NewVersion[]
}

export interface Modification {
  readonly kind: Kind
  readonly uid: string
  readonly run: number
  /** When the run that found it began: ISO 8601, UTC. */
  readonly at: string
  /** JSON Pointers of the fields that changed. */
  readonly paths: readonly string[]
}

export interface UnseenVersion {
  readonly id: number
  readonly uid: string
  readonly name: string
  readonly fromRun: number
}

export interface ActiveViolation extends Finding {
  readonly id: number
  readonly fingerprint: string
  readonly state: 'open' | 'unknown' | 'waived'
  readonly waiver: Waiver | undefined
  readonly firstRun: number
}

export interface NewViolation extends Finding {
  readonly fingerprint: string
  readonly state: 'open' | 'unknown' | 'waived'
  /** Of `waived` ones, and of `unknown` ones that were waived when they were last seen. */
  readonly waiver: Waiver | undefined
  /** The run that opened it; undefined: this one. */
  readonly firstRun: number | undefined
  /** The run that last saw it, when this one did not. */
  readonly lastRun: number | undefined
  readonly replaces: number | undefined
}

export interface StagedViolations {
  /** Ids of standing violations that were seen again, unchanged. */
  readonly confirmed: readonly number[]
  readonly violations: readonly NewViolation[]
}

/** A bug of the program that drafts. */
export function unscanned({ name }: ProjectRef): Error {
  return new Error(`a walk of ${name} was staged before its scan`)
}
