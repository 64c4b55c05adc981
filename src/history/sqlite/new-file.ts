import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import type { Verification } from '../upkeep.ts'
import { openDraftDirectory } from './draft-directory.ts'

/**
 * Writes a history as a draft, which gets its name when it is complete: `write` leaves it in one file. Removes what
 * killed processes left in the directory. Throws errors of the system as they are.
 * @throws AuditError.usage when a log of changes lies next to the target
 */
export async function writeNewFile<Result>(
  target: string,
  replace: boolean,
  write: (draft: string) => Promise<Result>,
): Promise<Result> {
  refuseSideFiles(target)
  const draftDirectory = openDraftDirectory(target)
  try {
    const result = await write(draftDirectory.draft)
    giveName(draftDirectory.draft, target, replace)
    return result
  } finally {
    draftDirectory.close()
  }
}

/** @throws AuditError.usage when the target is not a file, or exists and is not to be replaced */
export function refuseTarget(target: string, replace: boolean): void {
  if (statSync(target, { throwIfNoEntry: false })?.isFile() === false) {
    throw AuditError.usage(`the backup cannot replace ${target}, which is not a file`, {
      advice: 'name a file, as in backups/hookdrift.db',
    })
  }
  if (!replace && existsSync(target)) throw alreadyThere(target)
}

/** @throws AuditError.usage when SQLite would take what a former file left for changes to the new one */
function refuseSideFiles(target: string): void {
  const side = ['-wal', '-journal'].map((end) => target + end).find((file) => sizeOf(file) > 0)
  if (side === undefined) return
  throw AuditError.usage(`cannot write ${target}: ${side} has changes to a file of that name`, {
    advice: 'name another file; or end the process that uses this one, and remove both',
  })
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Folds the log of a history into its file. */
export function inOneFile(file: string): void {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = DELETE')
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
      // Also of a link that leads nowhere.
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyThere(target) : error
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

/** Why there is no backup of a history whose copy has faults. */
export function unverifiedBackup(displayName: string, { checks }: Verification): AuditError {
  const failed = checks.filter(({ ok }) => ok === false).map(({ detail }) => detail)
  return AuditError.failure(`no backup was made: the copy of ${displayName} does not verify: ${failed[0] ?? ''}`, {
    advice:
      'run `hookdrift verify`, keep the backups that you have, and see `hookdrift docs keep-the-history#verify-it`',
  })
}

export function cannotWrite(target: string, error: unknown): AuditError {
  return AuditError.failure(`cannot write the backup ${target}: ${reasonOf(error)}`, {
    advice: 'check that its directory exists, is writable and has room; the history is unchanged',
    cause: error,
  })
}
