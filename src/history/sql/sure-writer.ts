import type { Transaction } from './session.ts'

/** One transaction of a command, and how to find out whether it was committed. */
export interface SureWrite<Result> {
  /** What may be recorded or not, for a message. */
  readonly subject: string
  work(transaction: Transaction): Promise<Result>
  /**
   * Whether what `work` wrote is there: where the answer to the commit is lost, in a later transaction. It compares the
   * rows themselves.
   */
  isRecorded(transaction: Transaction, result: Result): Promise<boolean>
}

/** What a backend does so that a command is recorded once or not at all. */
export interface SureWriter {
  /** `advice`: how a person finds out what was recorded. */
  writeSurely<Result>(write: SureWrite<Result> & { readonly advice: string }): Promise<Result>
  /**
   * In a transaction in which no run may live or begin.
   * @throws AuditError.busy when a live run owns the lease
   */
  writeBetweenRuns<Result>(write: SureWrite<Result>): Promise<Result>
}
