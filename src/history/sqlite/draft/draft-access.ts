import type { ProjectRef } from '../../../model/resource.ts'
import type { KnownParts } from '../../chain/parts.ts'
import type { Draft } from '../../history.ts'
import type { DraftStatements } from './draft-statements.ts'

/** What the parts of a draft share. */
export interface DraftAccess {
  readonly run: number
  readonly sql: DraftStatements
  idOf(project: ProjectRef): number
  /** @throws AuditError.busy when the run no longer owns the lease */
  requireLease(): void
  /**
   * Inserts rows in one transaction.
   * @throws AuditError.busy when the run no longer owns the lease
   */
  write<Result>(work: () => Result): Result
  /** Whether there were versions of a project before this run. */
  hadVersions(project: number): boolean
  /** Whether there were violations of a project before this run. */
  hadViolations(project: number): boolean
}

/** Some methods of a draft, and what the draft does for them at its end. */
export interface DraftPart<Method extends keyof Draft> {
  readonly methods: Pick<Draft, Method>
  /** Within the transaction of the commit: writes what the part only remembered until then. */
  finish(): void
  /** What the run leaves besides, once it is committed: each in a transaction of its own. */
  afterCommit?(): Iterable<() => void>
  /** The digests that were kept while rows were inserted. */
  digests(): KnownParts
  /** After a transaction that failed: some rows that a digest counts may not be there. */
  spoilDigests(): void
  /** Within a transaction: deletes the rows that the run wrote of a project. */
  deleteRows(project: number): void
  /** Drops what the part remembers of a project. */
  forget(project: number): void
}
