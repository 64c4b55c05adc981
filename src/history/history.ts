import type { Coverage } from '../model/coverage.ts'
import type { Ending } from '../model/ending.ts'
import type { ExitCode } from '../model/errors.ts'
import type { ProjectNotice } from '../model/notice.ts'
import type { Kind, Listing, ProjectRef } from '../model/resource.ts'
import type { FailOn, Finding, Severity, Waiver } from '../model/violation.ts'
import type { Acceptance, AcceptanceEnding, Acceptances } from './acceptances.ts'
import type { Approvals } from './approvals.ts'
import type { BodyColumns } from './body-columns.ts'
import type { Notes } from './notes.ts'
import type { ComposeNotifications } from './notification-facts.ts'
import type { Outbox } from './outbox.ts'
import type { HistoryReader } from './reader.ts'
import type { RunContext, RunRecord, StagedChange, WrittenRun } from './records.ts'
import type { PastVersion, StoredBody, VersionPoint } from './stored-body.ts'

/**
 * The record of past runs. Primitives only: callers decide what a change or a resolution is. Asynchronous, so that a
 * backend may be remote. What is asked of committed runs are the statements of `history/sql`, for both backends.
 *
 * A run is drafted page by page and becomes visible in one commit. Readers see the history before it or after it.
 */
export interface History extends HistoryReader, Approvals, Acceptances, Notes, Outbox {
  /**
   * Starts a run, which owns the lease until it is committed or abandoned. First removes the rows of killed runs and
   * closes these as interrupted.
   * @throws AuditError.busy when another live run owns the lease
   */
  begin(start: RunStart): Promise<Draft>
  close(): Promise<void>
}

/** All of a history but the writing of runs. */
export type OpenHistory = Omit<History, 'begin'>

export interface RunStart {
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly failOn: FailOn
  readonly toolVersion: string
  readonly policyDigest: string
  readonly configurationDigest: string
  /** Which installation key seals what this run writes. */
  readonly sealKeyId: string
  /** Version of the normal form in which the run compares resources. */
  readonly normaliser: number
}

/**
 * One run being written. Nothing of it is visible before `commit`. The run covers the projects whose scan it stages.
 * Uids are well-formed text.
 *
 * Every method that writes throws AuditError.busy once the lease is lost or the run has ended. Every method throws
 * AuditError.failure when the history cannot be read or written. A run that lost its lease leaves no rows.
 */
export interface Draft {
  readonly run: number
  /** What committed runs and people left. */
  readonly past: HistoryReader
  /** Killed runs that `begin` closed. */
  readonly interrupted: readonly number[]

  /** The last run before this one that scanned the project. */
  lastScannedRun(project: ProjectRef): Promise<number | undefined>
  /** Which of some runs evaluated under the same policy, configuration and tool as this one. */
  underSameRules(runs: readonly number[]): Promise<ReadonlySet<number>>
  /**
   * Uids of the removals that were withheld at the last complete or suspect walk of a listing before this run;
   * undefined when none were.
   */
  previouslyWithheld(project: ProjectRef, listing: Listing): Promise<readonly string[] | undefined>
  /**
   * What earlier runs left of some projects, by their names: one read for all of them. `since`: from when changes are
   * wanted (ISO 8601, UTC); undefined: none are.
   */
  historiesOf(projects: readonly ProjectRef[], since: string | undefined): Promise<ReadonlyMap<string, ProjectHistory>>

  /** Versions of a project that were current before this run. */
  current(project: ProjectRef): Promise<readonly CurrentVersion[]>
  /**
   * The versions of a project that are valid in runs, this one included, in the order of `points`; undefined where there
   * is none.
   */
  versionsAt(project: ProjectRef, points: readonly VersionPoint[]): Promise<readonly (StoredBody | undefined)[]>
  /** The texts of some of them, by id. */
  textsOf(versions: readonly number[]): Promise<ReadonlyMap<number, VersionText>>

  /** Writes new versions. One that replaces another ends it. */
  stage(project: ProjectRef, versions: readonly NewVersion[]): Promise<void>
  stageChanges(project: ProjectRef, changes: readonly StagedChange[]): Promise<void>
  /** Ends versions of a project at this run. */
  endVersions(project: ProjectRef, versions: readonly number[]): Promise<void>
  /** Uids of current subscriptions, by the uid of the source they use. */
  referrers(project: ProjectRef, sources: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Marks resources as unreferenced and clears the mark of all others of that kind; returns the newly marked uids. */
  markUnreferenced(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly string[]>

  /** Violations of some resources that were active before this run. */
  activeViolations(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly ActiveViolation[]>
  stageViolations(project: ProjectRef, page: StagedViolations): Promise<void>
  /** Violations of a project that were active before this run and that it neither confirmed nor replaced. */
  unconfirmedViolations(project: ProjectRef): Promise<readonly ActiveViolation[]>
  /** Those of some rules, in some projects at once; by the project's name, where there are any. */
  unconfirmedBy(
    rules: readonly string[],
    projects: readonly ProjectRef[],
  ): Promise<ReadonlyMap<string, readonly ActiveViolation[]>>
  /**
   * Violations of a project as the run leaves them, those that it ended included, that were first seen before a time that
   * depends on their severity (ISO 8601, UTC); none of a severity without a time.
   */
  oldViolations(
    project: ProjectRef,
    before: Readonly<Partial<Record<Severity, string>>>,
  ): Promise<readonly OldViolation[]>
  /** Ends violations of a project, by their ids: each with its reason. */
  endViolations(project: ProjectRef, violations: ReadonlyMap<number, Ending>): Promise<void>
  /**
   * Acceptances of some projects that no person revoked, those that ended included, oldest first; by the project's name,
   * where there are any. What this run ended has ended.
   */
  acceptancesOf(projects: readonly ProjectRef[]): Promise<ReadonlyMap<string, readonly Acceptance[]>>
  /** Ends acceptances of a project, by their ids: each with its reason. */
  endAcceptances(project: ProjectRef, acceptances: ReadonlyMap<number, AcceptanceEnding>): Promise<void>

  /** What the last scan of a project left for the next one, as staged; undefined when it left nothing. */
  reading(project: ProjectRef, name: ReadingName): Promise<string | undefined>
  /**
   * Stages it. It replaces what was staged before, and is derived: the chain does not cover it. Items are written once the
   * run is committed, some projects at a time, because so many would hold the write lock for long; a process that ends
   * before leaves those of an earlier scan.
   */
  stageReading(project: ProjectRef, name: ReadingName, body: string): Promise<void>

  /** Stages the scan of a project. The policy is scanned like a project and has no walks. */
  stageScan(project: ProjectRef): Promise<void>
  /**
   * Stages what the walk of a listing proved. The project's scan must be staged before. The last call for a listing
   * counts. `shape`: undefined where it equals the last one.
   */
  stageWalk(project: ProjectRef, coverage: Coverage, shape: readonly string[] | undefined): Promise<void>
  /** Stages a notice about a scanned project or one of its listings; `undefined`: about the run. */
  stageNotice(project: ProjectRef | undefined, notice: ProjectNotice): Promise<void>
  /** Records removals that wait for the next scan to confirm them. */
  withholdRemovals(project: ProjectRef, listing: Listing, uids: readonly string[]): Promise<void>
  /** The rules and evaluated projects of the run. Equal contexts are stored once for all runs. */
  stageContext(context: RunContext): Promise<void>
  /** Drops all that this run staged, marked, ended, confirmed or noted of a project, except its scan and walks. */
  discard(project: ProjectRef): Promise<void>

  /**
   * Makes the run part of the history in one transaction, with the exit code of its record and the messages about it.
   * @throws AuditError.busy when the lease was lost meanwhile: then nothing was written
   */
  commit(
    finishedAt: string,
    exitCodeOf: (record: WrittenRun) => ExitCode,
    compose?: ComposeNotifications,
  ): Promise<RunRecord>
  /** Records the run as interrupted and removes its other rows. */
  abandon(finishedAt: string): Promise<void>
}

/** What the scan of a project drafts. The run that it is part of is begun and committed elsewhere. */
export type ScanDraft = Omit<Draft, 'interrupted' | 'stageContext' | 'commit' | 'abandon'>

/** A version that the run knows by its resource. */
export type NamedVersion = PastVersion & Pick<StoredBody, 'name'>

/** What deciding about violations reads and drafts. A replay of past runs keeps it in memory. */
export interface ViolationDraft
  extends Pick<
    Draft,
    | 'run'
    | 'past'
    | 'lastScannedRun'
    | 'underSameRules'
    | 'stageScan'
    | 'activeViolations'
    | 'stageViolations'
    | 'unconfirmedViolations'
    | 'unconfirmedBy'
    | 'oldViolations'
    | 'endViolations'
    | 'acceptancesOf'
    | 'endAcceptances'
  > {
  versionsAt(project: ProjectRef, points: readonly VersionPoint[]): Promise<readonly (NamedVersion | undefined)[]>
}

export interface ProjectHistory {
  /** The last staged shape of each listing, as sorted paths. */
  readonly shapes: Readonly<Partial<Record<Listing, readonly string[]>>>
  /** Modifications of its resources in the runs that were asked for, oldest first. */
  readonly modifications: readonly Modification[]
  /** Violations that name an origin: active ones, and accepted ones whose acceptance holds or was revoked since. */
  readonly withOrigin: readonly ViolationWithOrigin[]
}

/** Of a project that no run has scanned. */
export const noHistory: ProjectHistory = { shapes: {}, modifications: [], withOrigin: [] }

export interface CurrentVersion {
  readonly id: number
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly fromRun: number
  readonly digest: string
  readonly sealKeyId: string
}

/** As `NewVersion` has them. */
export type VersionText = Pick<NewVersion, 'body' | 'facts'>

/** `filters`: when the filter rows of subscriptions were read. `items`: which version the bytes of an item became. */
export type ReadingName = 'filters' | 'items'

export interface NewVersion {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly digest: string
  /** Canonical JSON of the attributes. */
  readonly body: string
  /** Canonical JSON of the facts; empty when there are none. */
  readonly facts: string
  readonly columns: BodyColumns
  readonly normaliser: number
  readonly replaces: number | undefined
}

export interface Modification {
  readonly kind: Kind
  readonly uid: string
  readonly run: number
  /** Start of that run: ISO 8601, UTC. */
  readonly at: string
  /** JSON Pointers of the fields that changed. */
  readonly paths: readonly string[]
}

export interface ActiveViolation extends Finding {
  readonly id: number
  readonly fingerprint: string
  readonly state: 'open' | 'unknown' | 'waived'
  readonly waiver: Waiver | undefined
  readonly firstRun: number
  /** The last run that found it, where the last scan of its project did not; undefined: that scan did. */
  readonly lastRun: number | undefined
  readonly originRun: number | undefined
}

/** A violation that a comparison with an earlier version decides. */
export interface ViolationWithOrigin extends ActiveViolation {
  readonly originRun: number
  /** Start of the run that opened it: ISO 8601, UTC. */
  readonly first_seen: string
  /** False for one that ended as accepted: found again without the acceptance, it is opened again. */
  readonly isActive: boolean
}

export interface OldViolation extends ActiveViolation {
  /** Start of the run that opened it: ISO 8601, UTC. */
  readonly first_seen: string
  /** Why this run ended it; undefined: it did not. */
  readonly ending: Ending | undefined
}

export interface NewViolation extends Finding {
  readonly fingerprint: string
  readonly state: 'open' | 'unknown' | 'waived'
  /** Present when `waived`, and when `unknown` and last seen as waived. */
  readonly waiver: Waiver | undefined
  /** The run that opened it; undefined: this one. */
  readonly firstRun: number | undefined
  /** The run that last saw it; undefined: this one. */
  readonly lastRun: number | undefined
  /** The run whose scan shows the value before the change, for drift rules. */
  readonly originRun: number | undefined
  readonly replaces: number | undefined
}

export interface StagedViolations {
  /** Ids of active violations that the run found unchanged. */
  readonly confirmed: readonly number[]
  readonly violations: readonly NewViolation[]
}

/** A bug in the caller. */
export function unscanned({ name }: ProjectRef): Error {
  return new Error(`a walk of ${name} was staged before its scan`)
}
