import Database from 'better-sqlite3'
import { targetIn } from '../../sql/copied-rows.ts'
import { copyRows, type RowSource } from '../../table-rows.ts'
import type { CheckResult, Verification, VerificationRequest } from '../../upkeep.ts'
import { openDatabase } from '../open-database.ts'
import { SqliteDatabase } from '../sqlite-database.ts'
import { verifyHistory } from '../verify/verify-history.ts'

/** Verifies rows in a history in a new file, which the caller removes. `now`: ISO 8601. */
export async function verifyRows(
  rows: RowSource,
  request: VerificationRequest,
  { file, now }: { readonly file: string; readonly now: string },
): Promise<Verification> {
  const db = openDatabase(file, now)
  try {
    // The checks find broken references and values, which must not stop the copy.
    for (const pragma of ['synchronous = OFF', 'foreign_keys = OFF', 'ignore_check_constraints = ON']) db.pragma(pragma)
    db.exec('BEGIN')
    await copyRows(rows, targetIn(new SqliteDatabase(db)))
    db.exec('COMMIT')
    db.pragma('ignore_check_constraints = OFF')
    return await verifyHistory(db, request)
  } catch (error) {
    if (!isRefused(error)) throw error
    return { ok: false, run: null, checks: [unstorable(error.message)] }
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
