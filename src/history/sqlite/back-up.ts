import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import type { Backup, Verification, VerificationRequest } from '../upkeep.ts'
import { asDamage } from './describe-damage.ts'
import { type DraftPlace, openDraftPlace } from './draft-place.ts'
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
  if (statSync(target, { throwIfNoEntry: false })?.isFile() === false) {
    throw AuditError.usage(`the backup cannot replace ${target}, which is not a file`, {
      advice: 'name a file, as in backups/hookdrift.db',
    })
  }
  if (!replace && existsSync(target)) throw alreadyThere(target)
  const db = openToExamine(file)
  let place: DraftPlace | undefined
  try {
    place = openDraftPlace(target)
    const { draft } = place
    await db.backup(draft)
    inOneFile(draft)
    const verification = verify(draft, question)
    if (!verification.ok) throw doesNotVerify(file, verification)
    giveName(draft, target, replace)
    return { bytes: statSync(target).size, verification }
  } catch (error) {
    if (error instanceof AuditError) throw error
    const damage = asDamage(error, file)
    if (damage !== undefined) throw damage
    throw AuditError.failure(`cannot write the backup ${target}: ${reasonOf(error)}`, {
      advice: 'check that its directory exists, is writable and has room; the history is unchanged',
      cause: error,
    })
  } finally {
    db.close()
    place?.close()
  }
}

/** Also when the two paths differ. */
function isOneFile(file: string, target: string): boolean {
  if (!(existsSync(file) && existsSync(target))) return false
  const [one, other] = [statSync(file), statSync(target)]
  return one.ino === other.ino && one.dev === other.dev
}

/** Folds the log into the file, so that the backup is one file. */
function inOneFile(file: string): void {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = DELETE')
  } finally {
    db.close()
  }
}

function verify(file: string, question: VerificationRequest): Verification {
  const db = openToExamine(file)
  try {
    return verifyHistory(db, question)
  } finally {
    db.close()
  }
}

/** Linking fails where the name is taken; renaming would replace that file. */
function giveName(draft: string, target: string, replace: boolean): void {
  synced(draft)
  if (replace) renameSync(draft, target)
  else {
    try {
      linkSync(draft, target)
    } catch (error) {
      if (existsSync(target)) throw alreadyThere(target)
      throw error
    }
  }
  synced(dirname(target))
}

function synced(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function alreadyThere(target: string): AuditError {
  return AuditError.usage(`the file ${target} exists already`, { advice: 'name another, or replace it with --force' })
}

function doesNotVerify(file: string, { checks }: Verification): AuditError {
  const failed = checks.filter(({ ok }) => !ok).map(({ id, detail }) => `${id}: ${detail}`)
  return AuditError.failure(`no backup was made: the copy of ${file} does not verify: ${failed[0] ?? ''}`, {
    advice: 'run `hookdrift verify`, keep the backups that you have, and see `hookdrift docs verify`',
  })
}
