import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'

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

/**
 * Makes a directory for a draft, and removes those that killed processes left next to it. A live process keeps a lock
 * on a file in its own. The system releases the lock when the process ends, also when it is killed.
 */
export function openDraftDirectory(target: string): DraftDirectory {
  for (let tries = 1; ; tries++) {
    const directory = mkdtempSync(`${target}${mark}`)
    const lock = takeLock(directory)
    // Another process may have removed the directory as abandoned before this one locked it.
    if (lock !== undefined && existsSync(join(directory, lockName))) {
      removeAbandoned(dirname(target), directory)
      const draft = join(directory, draftName)
      closeSync(openSync(draft, 'wx', 0o600))
      return { draft, close: () => remove(directory, lock) }
    }
    lock?.close()
    if (tries === mostTries) throw new Error(`its directory ${directory} cannot be locked`)
  }
}

/** undefined: another process has the lock, or has removed the directory. */
function takeLock(directory: string): Database.Database | undefined {
  let db: Database.Database | undefined
  try {
    db = new Database(join(directory, lockName), { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
    return db
  } catch {
    db?.close()
    return undefined
  }
}

/** Under the lock, so that no other process removes it too. */
function remove(directory: string, lock: Database.Database): void {
  rmSync(directory, { recursive: true, force: true })
  lock.close()
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
