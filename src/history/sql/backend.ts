import type { HistoryDatabase, Session, Transaction } from './session.ts'

/** What a backend does in its own way so that what is written is whole: who may write, and how that is made sure. */
export interface HistoryBackend {
  readonly db: HistoryDatabase
  readonly lease: Lease
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Executes a transaction that survives a power cut. Where the answer to its COMMIT is lost, the server is asked what
   * became of it.
   * @throws AuditError.failure when nothing was recorded, or when the server cannot be asked
   */
  commitSurely<Result>(sure: SureWork<Result>): Promise<Result>
}

/** The right to write runs. One process owns it at a time, and renews it. */
export interface Lease {
  /** @throws AuditError.busy when another live process owns it: at once, without waiting for a transaction */
  refuseOther(): Promise<void>
  /** Locks it and keeps others from it until the transaction ends. @throws AuditError.busy as `refuseOther` */
  requireFree(transaction: Transaction): Promise<void>
  /** Takes it for this process, within a transaction, and returns its token. @throws AuditError.busy as `refuseOther` */
  take(transaction: Transaction): Promise<number>
  /** Whether it still has this token. Keeps it so until the transaction ends. */
  isHeld(transaction: Transaction, token: number): Promise<boolean>
  /** Waits until another transaction that has it locked has ended, and locks it. */
  lock(transaction: Transaction): Promise<void>
  /** The token changes, so that a late write of the former owner fails. */
  release(session: Session, token: number): Promise<void>
  /** Renews it until the returned function is called. */
  keep(token: number): () => void
}

/** One transaction, and how to find out whether it was committed. */
export interface SureWork<Result, In extends Transaction = Transaction> {
  work(transaction: In): Promise<Result>
  /** What may be recorded or not, for a message: `run 7`. */
  subject(result: Result): string
  /** How a person finds out. */
  readonly advice: string
  /**
   * Whether what `work` wrote is there, in a later transaction, which it has wait until the first one has ended. It
   * compares the rows themselves: after a crash, the server gives the number of a lost transaction to another one.
   */
  isRecorded(transaction: In, result: Result): Promise<boolean>
}

/** One transaction of a command, and how to find out whether it was committed. */
export interface CommandWork<Result> extends Pick<SureWork<Result>, 'work' | 'isRecorded'> {
  readonly subject: string
}

/**
 * Executes a command in a transaction in which no run may live or begin.
 * @throws AuditError.busy when a live run owns the lease
 */
export function writeBetweenRuns<Result>(
  { lease, commitSurely }: HistoryBackend,
  { subject, work, isRecorded }: CommandWork<Result>,
): Promise<Result> {
  return commitSurely<Result>({
    async work(transaction) {
      await lease.requireFree(transaction)
      return work(transaction)
    },
    subject: () => subject,
    advice: 'list what is recorded once the server is up, before you repeat the command',
    async isRecorded(transaction, result) {
      await lease.lock(transaction)
      return isRecorded(transaction, result)
    },
  })
}
