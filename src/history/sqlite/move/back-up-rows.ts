import { statSync } from 'node:fs'
import { AuditError } from '../../../model/errors.ts'
import { targetIn } from '../../sql/copied-rows.ts'
import { copyRows, type RowSource } from '../../table-rows.ts'
import type { Backup, VerificationRequest } from '../../upkeep.ts'
import { verified } from '../back-up.ts'
import { cannotWrite, inOneFile, refuseTarget, writeNewFile } from '../new-file.ts'
import { openDatabase } from '../open-database.ts'
import { SqliteDatabase } from '../sqlite-database.ts'

export interface BackupOfRows extends VerificationRequest {
  readonly replace: boolean
  /** The history of the rows, for messages. */
  readonly shown: string
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
  { replace, shown, now, ...question }: BackupOfRows,
): Promise<Backup> {
  refuseTarget(target, replace)
  try {
    const verification = await writeNewFile(target, replace, async (draft) => {
      await writeRows(rows, draft, now)
      inOneFile(draft)
      return verified(draft, shown, question)
    })
    return { bytes: statSync(target).size, verification }
  } catch (error) {
    if (error instanceof AuditError) throw error
    throw cannotWrite(target, error)
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
