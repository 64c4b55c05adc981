import { renameSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { refuseOtherSteps, type SchemaStep } from '../schema-steps.ts'
import { type DraftDirectory, openDraftDirectory } from './draft-directory.ts'
import { readMigrations, refuseAltered } from './schema.ts'

export interface Upgrade {
  /** Directory of the migrations. */
  readonly directory: string
  /** ISO 8601, UTC. */
  readonly now: string
  warn(text: string): void
}

/**
 * Brings a database to the newest schema: all missing steps in one exclusive transaction. A database with rows is backed
 * up first.
 * @throws AuditError.failure when the database is newer than this program, altered, or made with other migrations
 */
export function migrate(db: Database.Database, { directory, now, warn }: Upgrade): void {
  const migrations = readMigrations(directory)
  // In one transaction: another process may take the steps meanwhile.
  const { version, hasRows } = db.transaction(() => examine(db, migrations, directory))()
  const next = migrations[version]
  if (next === undefined) return
  const copy = hasRows ? backUpBefore(db, next.version) : undefined
  if (copy !== undefined) {
    warn(`migrating the history from schema ${version} to ${migrations.length}; backup: ${copy}`)
  }
  apply(db, migrations, now)
}

interface SchemaFacts {
  readonly version: number
  /** A history without rows is one that another process is just making: it needs no backup. */
  readonly hasRows: boolean
}

function examine(db: Database.Database, migrations: readonly SchemaStep[], directory: string): SchemaFacts {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version === 0) return { version, hasRows: false }
  refuseEdited(db, migrations)
  if (version > migrations.length) {
    throw AuditError.failure(
      `the history ${db.name} has schema ${version}, this hookdrift knows ${migrations.length}`,
      { advice: 'use the newer hookdrift that wrote it' },
    )
  }
  const row = db.prepare('SELECT 1 FROM run UNION ALL SELECT 1 FROM project LIMIT 1').get()
  if (row !== undefined && version < migrations.length) refuseAltered(db, directory, version)
  return { version, hasRows: row !== undefined }
}

/** @throws AuditError.failure when a database took another step than this program's of the same number */
export function refuseEdited(db: Database.Database, migrations: readonly SchemaStep[]): void {
  const applied = db.prepare<[], { version: number; sha256: string }>('SELECT version, sha256 FROM migration').all()
  refuseOtherSteps(db.name, applied, migrations)
}

/** Takes the missing steps, all or none. */
function apply(db: Database.Database, migrations: readonly SchemaStep[], now: string): void {
  db.transaction(() => {
    const from = Number(db.pragma('user_version', { simple: true }))
    // Another process may have taken some while this one waited for the lock.
    const due = migrations.filter(({ version }) => version > from)
    for (const { version, name, sql, sha256 } of due) {
      db.exec(sql)
      refuseLooseEnds(db, name)
      // The first step makes this table.
      const note = db.prepare('INSERT INTO migration (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)')
      note.run(version, name, sha256, now)
      db.pragma(`user_version = ${version}`)
    }
  }).exclusive()
}

/** Foreign keys are off during migrations, so they are checked afterwards. */
function refuseLooseEnds(db: Database.Database, name: string): void {
  const [loose] = db.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check').all()
  if (loose === undefined) return
  throw AuditError.failure(
    `after migration ${name}, ${loose.table} would refer to rows that ${loose.parent} does not have`,
    { advice: 'the history was damaged before, and is unchanged: run `hookdrift verify` of the older version' },
  )
}

/**
 * Copies a history to `FILE.before-0004` before step 4 changes its schema. The copy is readable by its owner only, and
 * either complete or absent. Returns its path; undefined when another process took the step, and made the copy.
 * @throws AuditError.failure when it cannot be written; the history is unchanged then
 */
function backUpBefore(db: Database.Database, step: number): string | undefined {
  const copy = `${db.name}.before-${String(step).padStart(4, '0')}`
  let draftDirectory: DraftDirectory | undefined
  try {
    draftDirectory = openDraftDirectory(copy)
    const { draft } = draftDirectory
    db.prepare('VACUUM INTO ?').run(draft)
    if (schemaOf(draft) >= step) return undefined
    renameSync(draft, copy)
    return copy
  } catch (error) {
    throw AuditError.failure(`cannot back up the history ${db.name} before its upgrade: ${reasonOf(error)}`, {
      advice: 'make room for a copy of it in the same directory; the history is unchanged',
      cause: error,
    })
  } finally {
    draftDirectory?.close()
  }
}

function schemaOf(file: string): number {
  const db = new Database(file, { readonly: true })
  try {
    return Number(db.pragma('user_version', { simple: true }))
  } finally {
    db.close()
  }
}
