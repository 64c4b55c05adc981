import type { Database } from 'better-sqlite3'
import type { CoverageStatus } from '../../../model/coverage.ts'
import { causeOfReason } from './cause-of-reason.ts'
import { codeOfNotice } from './code-of-notice.ts'

/** The schema that adds causes and codes to sentences. */
export const namingStep = 10

/** Adds causes and codes to the walks and notices of earlier runs, within the transaction of the upgrade. */
export function nameFacts(db: Database): void {
  addNaming(db)
  db.exec('UPDATE walk SET cause = hookdrift_cause(status, reason); UPDATE notice SET code = hookdrift_code(text)')
}

/** Adds SQL functions to a connection: the cause and the code of an earlier run's sentence. */
export function addNaming(db: Database): void {
  // The columns contain no other values.
  const causeOf = (status: unknown, reason: unknown) =>
    status === 'complete' ? null : causeOfReason(status as CoverageStatus, reason as string | null)
  db.function('hookdrift_cause', { deterministic: true }, causeOf)
  db.function('hookdrift_code', { deterministic: true }, (text: unknown) => codeOfNotice(text as string))
}
