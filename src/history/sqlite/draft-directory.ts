import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { asHistoryError, keepLocal } from './describe-damage.ts'

/** A directory next to a file, in which the file is written before it gets its name. */
export interface DraftDirectory {
  /** An empty file, readable by its owner only. */
  readonly draft: string
  /** Removes the directory. */
  close(): void
}

const mark = '.hookdrift-'
const draftName = 'copy.db'
const lockName = 'lock'
const mostTries = 5

/** Makes a directory for a draft, and removes those that killed processes left next to it. */
export function openDraftDirectory(target: string): DraftDirectory {
  const own = makeDraftDirectory(target)
  removeAbandoned(dirname(target), dirname(own.draft))
  return own
}

/**
 * Makes a directory for a draft. A live process keeps a lock on a file in its own. The system releases the lock when the
 * process ends, also when it is killed.
 */
export function makeDraftDirectory(target: string): DraftDirectory {
  for (let tries = 1; tries <= mostTries; tries++) {
    const directory = mkdtempSync(`${target}${mark}`)
    try {
      const lock = takeLock(directory)
      // Another process may have removed the directory as abandoned before this one locked it.
      if (lock !== undefined && existsSync(join(directory, lockName))) {
        const draft = join(directory, draftName)
        closeSync(openSync(draft, 'wx', 0o600))
        return { draft, close: () => remove(directory, lock) }
      }
      lock?.close()
    } catch (error) {
      rmSync(directory, { recursive: true, force: true })
      throw asHistoryError(error, target)
    }
    rmSync(directory, { recursive: true, force: true })
  }
  // SQLite takes some refusals of a file system for the lock of another process.
  throw AuditError.failure(`cannot write ${target}: this file system does not keep locks`, { advice: keepLocal })
}

/**
 * undefined: another process has the lock, or has removed the directory; or the file system refuses locks.
 * @throws SqliteError where the disk prevents it
 */
function takeLock(directory: string): Database.Database | undefined {
  let db: Database.Database | undefined
  try {
    db = new Database(join(directory, lockName), { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db?.close()
    // The package itself refuses a directory that is gone, by an error that is not SQLite's.
    if (!existsSync(directory)) return undefined
    if (error instanceof Database.SqliteError && /BUSY|CANTOPEN/.test(error.code)) return undefined
    throw error
  }
}

/** Under the lock, so that no other process removes it too. */
function remove(directory: string, lock: Database.Database): void {
  const options = { recursive: true, force: true }
  try {
    rmSync(directory, options)
    lock.close()
  } catch {
    // A mount of FUSE or of NFS keeps a file that is open, under another name.
    lock.close()
    rmSync(directory, options)
  }
}

/** `parent`: where drafts lie; `ownDirectory`: that of this process. */
function removeAbandoned(parent: string, ownDirectory: string): void {
  for (const name of readdirSync(parent)) {
    const directory = join(parent, name)
    if (directory === ownDirectory) continue
    try {
      if (isDraftName(name) && containsDraftOnly(directory)) {
        const lock = takeLock(directory)
        if (lock !== undefined) remove(directory, lock)
      }
    } catch {
      // A leftover that cannot be removed must not prevent the copy.
    }
  }
}

function isDraftName(name: string): boolean {
  return /\.hookdrift-[A-Za-z0-9]{6}$/.test(name)
}

function containsDraftOnly(directory: string): boolean {
  return entriesOf(directory)?.every((name) => name.startsWith(draftName) || name.startsWith(lockName)) === true
}

/** undefined: not a directory, or gone. */
function entriesOf(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory)
  } catch {
    return undefined
  }
}
