import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { dayMs } from '../../model/clock.ts'

/** A directory next to a file, in which the file is written before it gets its name. */
export interface DraftPlace {
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
 * Makes a place for a draft, and removes places that killed processes left in the same directory. A live process keeps
 * a lock on a file in its place. The system releases the lock when the process ends, also when it is killed.
 */
export function openDraftPlace(target: string): DraftPlace {
  for (let tries = 1; ; tries++) {
    const place = mkdtempSync(`${target}${mark}`)
    const lock = takeLock(place)
    // Another process may have removed the place as abandoned before this one locked it.
    if (lock !== undefined && existsSync(join(place, lockName))) {
      removeAbandoned(target, place)
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

function removeAbandoned(target: string, own: string): void {
  const directory = dirname(target)
  for (const name of readdirSync(directory)) {
    const place = join(directory, name)
    if (place === own) continue
    try {
      if (isPlace(name) && containsDraftOnly(place)) {
        const lock = takeLock(place)
        if (lock !== undefined) remove(place, lock)
      } else if (isFormerPlace(name, target) && containsFormerDraft(place) && isDayOlder(place, own)) {
        rmSync(place, { recursive: true, force: true })
      }
    } catch {
      // A leftover that cannot be removed must not prevent the copy.
    }
  }
}

function isPlace(name: string): boolean {
  return /\.hookdrift-[A-Za-z0-9]{6}$/.test(name)
}

/** As earlier versions made them, without a lock. */
function isFormerPlace(name: string, target: string): boolean {
  return name.startsWith(`${basename(target)}.`) && /^\.[A-Za-z0-9]{6}$/.test(name.slice(basename(target).length))
}

function containsDraftOnly(place: string): boolean {
  return entriesOf(place)?.every((name) => name.startsWith(draftName) || name.startsWith(lockName)) === true
}

function containsFormerDraft(place: string): boolean {
  const entries = entriesOf(place) ?? []
  return entries.includes(draftName) && entries.every((name) => name.startsWith(draftName))
}

/** undefined: not a directory, or gone. */
function entriesOf(place: string): readonly string[] | undefined {
  try {
    return readdirSync(place)
  } catch {
    return undefined
  }
}

/** By the file system's clock, which is the same for both. */
function isDayOlder(place: string, own: string): boolean {
  const written = Math.max(...[place, join(place, draftName)].map((path) => statSync(path).mtimeMs))
  return written + dayMs < statSync(own).mtimeMs
}
