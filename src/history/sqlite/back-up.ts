import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { type DraftPlace, openDraftPlace } from './draft-place.ts'
import { openToExamine } from './open-to-examine.ts'
import { asDamage } from './tell-damage.ts'
import { type Verification, type VerificationRequest, verifyHistory } from './verify/verify-history.ts'

export interface Backup {
  readonly bytes: number
  readonly verification: Verification
}

/**
 * Copies a history while others read and write it, verifies the copy, and only then gives it its name: a file that is
 * readable by its owner only, whole or not there. What killed backups left in its directory is removed.
 * @throws AuditError.usage when there is a file of that name and `replace` is not set; 4 when the copy cannot be written, or
 * does not verify, which the history itself then does not either
 */
export async function backUp(
  file: string,
  target: string,
  { replace, ...question }: VerificationRequest & { readonly replace: boolean },
): Promise<Backup> {
  if (isOneFile(file, target)) {
    throw AuditError.usage(`the backup cannot take the place of the history itself, ${file}`, {
      advice: 'name another file',
    })
  }
  if (statSync(target, { throwIfNoEntry: false })?.isFile() === false) {
    throw AuditError.usage(`the backup cannot take the place of ${target}, which is no file`, {
      advice: 'name a file, as in backups/hookdrift.db',
    })
  }
  if (!replace && existsSync(target)) throw alreadyThere(target)
  const db = openToExamine(file)
  let place: DraftPlace | undefined
  try {
    place = openDraftPlace(target)
    const { draft } = place
    closeSync(openSync(draft, 'wx', 0o600))
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
      advice: 'check that its directory is there, may be written to and has room; the history was left as it is',
      cause: error,
    })
  } finally {
    db.close()
    place?.close()
  }
}

/** However the two are spelt. */
function isOneFile(file: string, target: string): boolean {
  if (!(existsSync(file) && existsSync(target))) return false
  const [one, other] = [statSync(file), statSync(target)]
  return one.ino === other.ino && one.dev === other.dev
}

/** Without a log beside it, so that one file can be moved about. */
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

/** A link takes no name that is taken; renaming would. */
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
  return AuditError.usage(`there is a file ${target} already`, { advice: 'name another, or replace it with --force' })
}

function doesNotVerify(file: string, { checks }: Verification): AuditError {
  const failed = checks.filter(({ ok }) => !ok).map(({ id, detail }) => `${id}: ${detail}`)
  return AuditError.failure(`no backup was made: what was copied from ${file} does not verify: ${failed[0] ?? ''}`, {
    advice: '`hookdrift verify` says more; keep the backups that you have, and see docs/reference/verify.md',
  })
}
