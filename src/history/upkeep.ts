import type { ExitCode } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { WrittenRun } from './records.ts'
import type { RetentionRules } from './retention.ts'
import type { CommittedRun } from './sql/runs.ts'

/**
 * The upkeep of a history: verify, prune and copy it. `History` records runs.
 * @throws AuditError.failure, by every method, when there is no history or it cannot be used
 */
export interface HistoryUpkeep {
  /** Verifies the history in one state of it, and writes nothing. */
  verify(request: VerificationRequest): Promise<Verification>
  /** The chain's digest as of a run; undefined when there is no such run. */
  chainOf(run: number): Promise<string | undefined>
  /** Plans a pruning, and writes nothing. */
  planPruning(keep: RetentionRules): Promise<readonly PlannedRun[]>
  /**
   * Removes the runs without a reason to keep them, all or none, and frees the disk.
   * @throws AuditError.usage when nothing says which runs to keep
   * @throws AuditError.failure when the history does not verify
   * @throws AuditError.busy when another run owns the lease
   */
  prune(request: PruneRequest): Promise<Pruning>
  /** Prunes unless the last pruning was less than 20 hours ago (then undefined), and frees a bounded part of the disk. */
  pruneWhenDue(request: PruneRequest): Promise<Pruning | undefined>
  /**
   * Copies the history to a file while it is in use, and verifies the copy. The file is either complete or absent.
   * @throws AuditError.usage when the file exists and `replace` is not set
   */
  backUp(target: string, request: VerificationRequest & { readonly replace: boolean }): Promise<Backup>
  close(): Promise<void>
}

/** `deep` adds slow checks: the report of every run, and every body for secrets. */
export type VerificationDepth = 'plain' | 'deep'

export interface VerificationRequest {
  readonly depth: VerificationDepth
  /** The exit code that a run's record calls for. */
  exitCodeOf(record: WrittenRun): ExitCode
  readonly openSecrets: OpenSecrets
  /** Called before each check. */
  readonly onCheck?: ((done: number, total: number) => void) | undefined
}

/** Detects secrets that are not sealed. */
export interface OpenSecrets {
  /** JSON Pointers of unsealed secrets in a body. */
  inBody(kind: Kind, attributes: JsonObject): Iterable<string>
  /** A value within a resource and its JSON Pointer. */
  inPart(kind: Kind, part: { readonly path: string; readonly value: Json }): boolean
  inName(kind: Kind, name: string): boolean
  inText(text: string): boolean
}

export interface Verification {
  /** Whether no check failed. */
  readonly ok: boolean
  /** The last committed run; null when there is none, or it cannot be read. */
  readonly run: CommittedRun | null
  readonly checks: readonly CheckResult[]
}

export interface CheckResult {
  readonly id: string
  /** null: not checked here. */
  readonly ok: boolean | null
  /** The invariant, or the first faults, or who checks it. */
  readonly detail: string
  /** Of a check that failed. */
  readonly means?: string
}

export interface PruneRequest {
  readonly keep: RetentionRules
  /** As given, for the record. */
  readonly options: Readonly<Record<string, number | string>>
  readonly toolVersion: string
}

export interface PlannedRun extends CommittedRun {
  /** Why it is kept; empty when it goes. */
  readonly reasons: readonly string[]
}

export interface Pruning {
  /** Every committed run, oldest first. */
  readonly plan: readonly PlannedRun[]
  readonly freed: FreedDisk
}

export interface FreedDisk {
  /** Returned to the file system. */
  readonly bytes: number
  /** Free inside the history, for the next runs. */
  readonly freeBytes: number
}

export interface Backup {
  readonly bytes: number
  readonly verification: Verification
}

export interface HistorySize {
  readonly bytes: number
  /** Free on the disk; undefined where that is unknown, as on another machine. */
  readonly freeBytes: number | undefined
}

/** A view of the history for users' queries. */
export interface ViewExplained {
  readonly view: string
  readonly about: string
  readonly columns: readonly string[]
}
