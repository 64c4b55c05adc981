import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AuditError } from '../../model/errors.ts'
import type { Backup, Verification, VerificationRequest } from '../upkeep.ts'
import { asDamage } from './describe-damage.ts'
import { nearestRealPath } from './network-file-system.ts'
import { cannotWrite, inOneFile, refuseTarget, unverifiedBackup, writeNewFile } from './new-file.ts'
import { openToExamine } from './open-to-examine.ts'
import { verifyHistory } from './verify/verify-history.ts'

/**
 * Copies a history while other processes read and write it, verifies the copy, and then gives it its name. The file is
 * readable by its owner only, and either complete or absent. Removes what killed backups left in its directory.
 * @throws AuditError.usage when the file exists and `replace` is not set
 * @throws AuditError.failure when the copy cannot be written, or the history does not verify
 */
export async function backUp(
  file: string,
  target: string,
  { replace, ...question }: VerificationRequest & { readonly replace: boolean },
): Promise<Backup> {
  if (isOneFile(file, target)) {
    throw AuditError.usage(`the backup cannot replace the history itself, ${file}`, {
      advice: 'name another file',
    })
  }
  if (belongsTo(file, target)) {
    throw AuditError.usage(`the backup cannot replace ${target}, which belongs to the history ${file}`, {
      advice: 'name another file',
    })
  }
  refuseTarget(target, replace)
  const db = openToExamine(file)
  try {
    const verification = await writeNewFile(target, replace, async (draft) => {
      // Of one state: SQLite would begin anew with every write of another process, and never end during a run.
      db.exec('BEGIN')
      db.prepare('SELECT count(*) FROM run').get()
      await db.backup(draft)
      db.exec('COMMIT')
      inOneFile(draft)
      return verified(draft, file, question)
    })
    return { bytes: statSync(target).size, verification }
  } catch (error) {
    if (error instanceof AuditError) throw error
    const damage = asDamage(error, file)
    if (damage !== undefined) throw damage
    throw cannotWrite(target, error)
  } finally {
    db.close()
  }
}

/** Also when the two paths differ. */
function isOneFile(file: string, target: string): boolean {
  if (!(existsSync(file) && existsSync(target))) return false
  const [one, other] = [statSync(file), statSync(target)]
  return one.ino === other.ino && one.dev === other.dev
}

/** Whether it is the place of a file next to the history: of SQLite's, or of the installation key. */
function belongsTo(file: string, target: string): boolean {
  const placeOf = (path: string) => join(nearestRealPath(dirname(path)), basename(path))
  const real = existsSync(file) ? realpathSync(file) : file
  const own = [...['-wal', '-shm', '-journal'].map((end) => real + end), join(dirname(file), 'hookdrift.key')]
  return own.some((each) => isOneFile(each, target) || placeOf(each) === placeOf(target))
}

/** @throws AuditError.failure when the copy in the file has faults */
export async function verified(
  file: string,
  displayName: string,
  question: VerificationRequest,
): Promise<Verification> {
  const db = openToExamine(file)
  try {
    const verification = await verifyHistory(db, question, displayName)
    if (!verification.ok) throw unverifiedBackup(displayName, verification)
    return verification
  } finally {
    db.close()
  }
}
