import { AuditError } from '../model/errors.ts'
import type { RowSource, RowTarget } from './table-rows.ts'
import type { Verification, VerificationRequest } from './upkeep.ts'

/** The rows of a history in one state of it. */
export interface HistoryRows extends RowSource {
  verify(request: VerificationRequest): Promise<Verification>
  /** undefined when there is no such run. */
  chainOf(run: number): Promise<string | undefined>
}

/** Verifies rows of another backend, in a history of their own that is removed afterwards. */
export type VerifyRows = (rows: RowSource, request: VerificationRequest) => Promise<Verification>

/** A history that can be copied, or the target of a copy. Its disposal ends connections. */
export interface MovableHistory extends AsyncDisposable {
  /** For messages: contains no secret. */
  readonly displayName: string
  /**
   * Reads one state of the history, also while a run writes. Changes nothing.
   * @throws AuditError.failure when there is none, or it cannot be used
   */
  snapshot<Result>(work: (rows: HistoryRows) => Promise<Result>): Promise<Result>
  /**
   * Reads the history while nothing else writes to it, and marks it as moved where `work` succeeds: from then on, it
   * refuses runs and everything else that takes the lease. `to`: the new target, as messages show it.
   * @throws AuditError.busy when a run lives, or when the history was moved before
   */
  move<Result>(to: string, work: (rows: HistoryRows) => Promise<Result>): Promise<Result>
  /**
   * Fills the target in one transaction, which is rolled back where `work` throws; a file that this made is removed.
   * The target may be absent, empty, a history that was moved, if the original contains it, or a copy of the original
   * as it is: a move may have been ended before the original was marked.
   * @throws AuditError.usage when the target contains another history
   */
  fill<Result>(original: CopiedOriginal, work: (rows: HistoryRows & RowTarget) => Promise<Result>): Promise<Result>
  /**
   * Brings the history to the newest schema. A file is backed up before.
   * @throws AuditError.usage when a history on a server has runs and `hasDump` is not set: the program makes no dump
   */
  upgrade(hasDump: boolean): Promise<SchemaUpgrade>
}

export interface SchemaUpgrade {
  /** 0 where there was none. */
  readonly from: number
  readonly to: number
}

/** The history that is copied. */
export interface CopiedOriginal extends RowSource {
  /** Whether it is marked as moved afterwards: then the same command may have been ended before it was. */
  readonly isMove: boolean
  /** Whether it has this link at this run: then it has what the run's history has. */
  contains(run: number, chain: string): Promise<boolean>
}

/** What is in the target of a copy. */
export interface CopyFacts {
  readonly displayName: string
  readonly hasRows: boolean
  readonly wasMoved: boolean
  /** Whether it has the rows of the original, and no others. */
  readonly isCopy: boolean
  /** The last committed run. */
  readonly last: { readonly number: number; readonly chain: string | null } | undefined
}

/**
 * Refuses to write over a history, but for a copy of the original, and one that was moved and that the original
 * contains: this is the way back.
 * @throws AuditError.usage
 */
export async function refuseTaken(
  { displayName, hasRows, wasMoved, isCopy, last }: CopyFacts,
  original: CopiedOriginal,
): Promise<void> {
  if (!hasRows || isCopy) return
  if (!wasMoved) {
    throw AuditError.usage(`${displayName} contains a history already`, {
      advice: 'name a place that is empty or absent: histories are never merged',
    })
  }
  if (last === undefined || (last.chain !== null && (await original.contains(last.number, last.chain)))) return
  throw AuditError.usage(`${displayName} contains run ${last.number}, which the history to copy does not have`, {
    advice: 'name a place that is empty or absent, and keep both histories: their runs differ',
  })
}
