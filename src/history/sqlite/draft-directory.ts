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
    const place = mkdtempSync(`${target}${mark}`)
    const lock = takeLock(place)
    // Another process may have removed the directory as abandoned before this one locked it.
    if (lock !== undefined && existsSync(join(place, lockName))) {
      removeAbandoned(dirname(target), place)
      const draft = join(place, draftName)
      closeSync(openSync(draft, 'wx', 0o600))
      return { draft, close: () => remove(place, lock) }
    }
    lock?.close()
    if (tries === mostTries) throw new Error(`its directory ${place} cannot be locked`)
  }
}

/** undefined: another process has the lock, or has removed the place. */
function takeLock(place: string): Database.Database | undefined {
  let db: Database.Database | undefined
  try {
    db = new Database(join(place, lockName), { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
    return db
  } catch {
    db?.close()
    return undefined
  }
}

/** Under the lock, so that no other process removes it too. */
function remove(place: string, lock: Database.Database): void {
  rmSync(place, { recursive: true, force: true })
  lock.close()
}

/** `directory`: where places lie; `own`: the one of this process. */
function removeAbandoned(directory: string, own: string): void {
  for (const name of readdirSync(directory)) {
    const place = join(directory, name)
    if (place === own) continue
    try {
      if (isPlace(name) && containsDraftOnly(place)) {
        const lock = takeLock(place)
        if (lock !== undefined) remove(place, lock)
      }
    } catch {
      // A leftover that cannot be removed must not prevent the copy.
    }
  }
}

function isPlace(name: string): boolean {
  return /\.hookdrift-[A-Za-z0-9]{6}$/.test(name)
}

function containsDraftOnly(place: string): boolean {
  return entriesOf(place)?.every((name) => name.startsWith(draftName) || name.startsWith(lockName)) === true
}

/** undefined: not a directory, or gone. */
function entriesOf(place: string): readonly string[] | undefined {
  try {
    return readdirSync(place)
  } catch {
    return undefined
  }
}
