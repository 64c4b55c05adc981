import type { Database } from 'better-sqlite3'
import type { CoverageStatus } from '../../../model/coverage.ts'
import { causeOfReason } from './cause-of-reason.ts'
import { codeOfNotice } from './code-of-notice.ts'

/** The schema that keeps causes and codes beside sentences. */
export const namingStep = 10

/** Gives the walks and notices of earlier runs their causes and codes, within the transaction of the upgrade. */
export function nameFacts(db: Database): void {
  addNaming(db)
  db.exec('UPDATE walk SET cause = hookdrift_cause(status, reason); UPDATE notice SET code = hookdrift_code(text)')
}

/** SQL functions of one connection: what a sentence of an earlier run says. */
export function addNaming(db: Database): void {
  // Of columns that hold nothing else.
  const causeOf = (status: unknown, reason: unknown) =>
    status === 'complete' ? null : causeOfReason(status as CoverageStatus, reason as string | null)
  db.function('hookdrift_cause', { deterministic: true }, causeOf)
  db.function('hookdrift_code', { deterministic: true }, (text: unknown) => codeOfNotice(text as string))
}
