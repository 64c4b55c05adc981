import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { makeDirectories } from '../make-directories.ts'
import { asHistoryError } from './describe-damage.ts'
import type { LocalProcess } from './lease.ts'
import { migrate, refuseEdited } from './migrate.ts'
import { fileOf, openUnwritable } from './open-unwritable.ts'
import { refuseSpecialFile } from './refuse-files.ts'
import { migrationsDirectory, readMigrations, refuseAlteredTables } from './schema.ts'
import { tryPlace } from './try-place.ts'

/** "hkdf": distinguishes a history from other databases, also for the command `file`. */
const applicationId = 0x686b6466

export interface Opening {
  readonly owner?: LocalProcess
  /** Directory of the migrations. */
  readonly directory?: string
}

/**
 * Opens the history at a path, creates it if missing (readable by its owner only), and upgrades its schema after a
 * backup, with a warning to the owner.
 * @throws AuditError.failure when the file cannot be used
 */
export function openDatabase(
  file: string,
  now: string,
  { owner, directory = migrationsDirectory }: Opening = {},
): Database.Database {
  const warn = owner?.warn ?? (() => {})
  let db: Database.Database | undefined
  try {
    refuseSpecialFile(file)
    db = openUnwritable(file)
    if (db !== undefined) {
      refuseForeign(db)
      refuseOtherSchema(db)
      return db
    }
    makeDirectories(dirname(file))
    if (!existsSync(file)) tryPlace(file)
    // SQLite gives its side files the mode of the database file.
    closeSync(openSync(file, 'a', 0o600))
    db = new Database(file, { timeout: 5_000 })
    whenUnlocked(db, initialise)
    db.pragma('synchronous = NORMAL')
    db.pragma('cache_size = -8192')
    // A step may recreate a table that others refer to; the references are checked at its end.
    db.pragma('foreign_keys = OFF')
    migrate(db, { directory, now, warn })
    refuseAlteredTables(db, directory)
    db.pragma('foreign_keys = ON')
    return db
  } catch (error) {
    db?.close()
    const described = asHistoryError(error, file)
    if (described instanceof AuditError) throw described
    throw AuditError.failure(`cannot open the history ${file}: ${reasonOf(error)}`, {
      advice: 'check the path, its permissions and the free space, or name another history',
      cause: error,
    })
  }
}

function initialise(db: Database.Database): void {
  refuseForeign(db)
  if (isEmpty(db)) {
    db.pragma('page_size = 16384')
    db.pragma('auto_vacuum = incremental')
    db.pragma(`application_id = ${applicationId}`)
  }
  db.pragma('journal_mode = WAL')
}

const mostTries = 100
const pauseMs = 20

/** Several processes may create a history at once, and SQLite does not wait for a lock to change the journal mode. */
function whenUnlocked(db: Database.Database, work: (db: Database.Database) => void): void {
  for (let tries = 1; ; tries++) {
    try {
      work(db)
      return
    } catch (error) {
      const isLocked = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!isLocked || tries === mostTries) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}

/** @throws AuditError.failure when the database belongs to another program */
export function refuseForeign(db: Database.Database): void {
  // In one transaction: another process may just be making it a history.
  const isOurs = db.transaction(() => {
    const id = Number(db.pragma('application_id', { simple: true }))
    return id === applicationId || (id === 0 && isEmpty(db))
  })
  if (isOurs()) return
  throw AuditError.failure(`cannot open the history ${fileOf(db)}: it is a database of another program`, {
    advice: 'name the file of a history; this one is unchanged',
  })
}

/** @throws AuditError.failure when a database that must not be upgraded has another schema than this program's */
export function refuseOtherSchema(db: Database.Database): void {
  refuseOtherSteps(db)
  const { has, knows } = schemaVersion(db)
  if (has === knows) return
  throw AuditError.failure(`the history ${fileOf(db)} has schema ${has}, this hookdrift examines schema ${knows}`, {
    advice:
      has < knows
        ? 'the next audit upgrades it, after a backup; `hookdrift report` on a copy of the file upgrades the copy'
        : 'use the newer hookdrift that wrote it',
  })
}

/** @throws AuditError.failure when a database was made with other steps than this program's */
export function refuseOtherSteps(db: Database.Database): void {
  if (schemaVersion(db).has > 0) refuseEdited(db, readMigrations(migrationsDirectory))
}

/** The schema that a database has, and the newest that this program knows. */
export function schemaVersion(db: Database.Database): { readonly has: number; readonly knows: number } {
  return { has: Number(db.pragma('user_version', { simple: true })), knows: readMigrations(migrationsDirectory).length }
}

function isEmpty(db: Database.Database): boolean {
  return Number(db.pragma('schema_version', { simple: true })) === 0
}
