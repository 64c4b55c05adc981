import type { ProjectRef } from '../../../model/resource.ts'
import type { Draft } from '../../history.ts'
import type { DraftStatements } from './draft-statements.ts'

/** What the parts of a draft share. */
export interface DraftAccess {
  readonly run: number
  readonly sql: DraftStatements
  idOf(project: ProjectRef): number
  /** @throws AuditError.busy when the run no longer owns the lease */
  requireLease(): void
  /** Writes all or nothing, while the run owns the lease. */
  write<Result>(work: () => Result): Result
}

/** Some methods of a draft, and what the draft does for them at its end. */
export interface DraftPart<Method extends keyof Draft> {
  readonly methods: Pick<Draft, Method>
  /** Within the transaction of the commit: writes what the part only remembered until then. */
  finish(): void
  /** Within a transaction: deletes the rows that the run wrote of a project. */
  deleteRows(project: number): void
  /** Drops what the part remembers of a project. */
  forget(project: number): void
}
