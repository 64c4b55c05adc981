import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { targetIn } from '../sql/copied-rows.ts'
import { copyRows, type RowSource } from '../table-rows.ts'
import type { Backup, CheckResult, Verification, VerificationRequest } from '../upkeep.ts'
import { verified } from './back-up.ts'
import { cannotWrite, inOneFile, refuseTarget, writeNewFile } from './new-file.ts'
import { openDatabase } from './open-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { verifyHistory } from './verify/verify-history.ts'

export interface BackupOfRows extends VerificationRequest {
  readonly replace: boolean
  /** The history of the rows, for messages. */
  readonly displayName: string
  /** ISO 8601. */
  readonly now: string
}

/**
 * Writes the rows of another backend to a history in a new file, as `backUp` does with a file.
 * @throws AuditError.usage when the file exists and `replace` is not set
 * @throws AuditError.failure when the copy cannot be written, or does not verify
 */
export async function backUpRows(
  rows: RowSource,
  target: string,
  { replace, displayName, now, ...question }: BackupOfRows,
): Promise<Backup> {
  refuseTarget(target, replace)
  try {
    const verification = await writeNewFile(target, replace, async (draft) => {
      await writeRows(rows, draft, now)
      inOneFile(draft)
      return verified(draft, displayName, question)
    })
    return { bytes: statSync(target).size, verification }
  } catch (error) {
    if (error instanceof AuditError) throw error
    throw cannotWrite(target, error)
  }
}

/**
 * Verifies rows in a history in a new file, which the caller removes. `now`: ISO 8601.
 * @throws AuditError.failure when there is no room for it
 */
export async function verifyRows(
  rows: RowSource,
  request: VerificationRequest,
  { file, now }: { readonly file: string; readonly now: string },
): Promise<Verification> {
  let db: Database.Database | undefined
  try {
    db = openDatabase(file, now)
    // The checks find broken references and values, which must not stop the copy.
    for (const pragma of ['synchronous = OFF', 'foreign_keys = OFF', 'ignore_check_constraints = ON']) db.pragma(pragma)
    db.exec('BEGIN')
    await copyRows(rows, targetIn(new SqliteDatabase(db)))
    db.exec('COMMIT')
    db.pragma('ignore_check_constraints = OFF')
    return await verifyHistory(db, request)
  } catch (error) {
    const cause = error instanceof AuditError ? error.cause : error
    if (isRefused(cause)) return { ok: false, run: null, checks: [unstorable(cause.message)] }
    if (!(cause instanceof Database.SqliteError && /^SQLITE_(?:FULL|IOERR|CANTOPEN)/.test(cause.code))) throw error
    throw AuditError.failure(`cannot copy the rows to ${file} to verify them: ${cause.message}`, {
      advice: 'make room there, or name another place with TMPDIR; the history is unchanged',
      cause,
    })
  } finally {
    db?.close()
  }
}

async function writeRows(rows: RowSource, file: string, now: string): Promise<void> {
  const db = openDatabase(file, now)
  try {
    // The verification finds broken references.
    db.pragma('foreign_keys = OFF')
    db.exec('BEGIN')
    await copyRows(rows, targetIn(new SqliteDatabase(db)))
    db.exec('COMMIT')
  } finally {
    db.close()
  }
}

/** A key that occurs twice, or no value where hookdrift always writes one. */
function isRefused(error: unknown): error is Error {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')
}

function unstorable(what: string): CheckResult {
  const means = 'another program wrote rows that hookdrift cannot have written; no other check was made'
  return { id: 'records', ok: false, detail: `a row cannot be copied: ${what}`, means }
}
