import type { Database } from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { backUpBefore } from './back-up-before.ts'
import { type LocalProcess, readLease } from './lease.ts'
import { type Migration, readMigrations } from './read-migrations.ts'
import type { ResealHistory } from './reseal/reseal-history.ts'
import { resealingStep } from './reseal/resealing-step.ts'
import { refuseAltered } from './schema/refuse-altered.ts'
import { nameFacts, namingStep } from './upgrade/name-facts.ts'

export interface Upgrade {
  /** Directory of the migrations. */
  readonly directory: string
  /** ISO 8601, UTC. */
  readonly now: string
  warn(text: string): void
  /** undefined: no other process can use the database. */
  readonly owner?: LocalProcess | undefined
  /** Reseals rows of earlier versions; undefined where there can be none. */
  readonly resealing?: ResealHistory | undefined
}

/**
 * Brings a database to the newest schema, one exclusive transaction for each step. All steps from the resealing one on
 * share a transaction, because resealing knows the newest schema only. A database with rows is backed up first.
 * @throws AuditError.failure when the database is newer than this program or altered, or a migration's text has changed
 * @throws AuditError.busy when a run writes whose rows would need resealing
 */
export function migrate(db: Database, upgrade: Upgrade): void {
  const migrations = readMigrations(upgrade.directory)
  // In one transaction: another process may take the steps meanwhile.
  const { version, hasRows } = db.transaction(() => examine(db, migrations, upgrade.directory))()
  const [next, ...later] = migrations.slice(version)
  if (next === undefined) return
  if (hasRows) {
    const isResealed = version < resealingStep && migrations.length >= resealingStep
    if (isResealed) prepareToReseal(db, upgrade)
    const copy = backUpBefore(db, next.version)
    if (copy !== undefined) upgrade.warn(describeUpgrade(`schema ${version} to ${migrations.length}`, copy, isResealed))
  }
  const due = [next, ...later]
  for (const migration of due.filter((step) => step.version < resealingStep)) apply(db, [migration], upgrade)
  apply(
    db,
    due.filter((step) => step.version >= resealingStep),
    upgrade,
  )
}

interface Examined {
  readonly version: number
  /** A history without rows is one that another process is just making: it needs no backup. */
  readonly hasRows: boolean
}

function examine(db: Database, migrations: readonly Migration[], directory: string): Examined {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version > migrations.length) {
    throw AuditError.failure(
      `the history ${db.name} has schema ${version}, this hookdrift knows ${migrations.length}`,
      { advice: 'use the newer hookdrift that wrote it' },
    )
  }
  if (version === 0) return { version, hasRows: false }
  refuseEdited(db, migrations)
  const row = db.prepare('SELECT 1 FROM run UNION ALL SELECT 1 FROM project LIMIT 1').get()
  if (row !== undefined && version < migrations.length) refuseAltered(db, directory, version)
  return { version, hasRows: row !== undefined }
}

/** The newest schema that these migrations make. */
export function knownSchema(directory: string): number {
  return readMigrations(directory).length
}

function describeUpgrade(step: string, copy: string, isResealed: boolean): string {
  if (!isResealed) return `migrating the history from ${step}; backup: ${copy}`
  return (
    `migrating the history from ${step}, and sealing secrets that an earlier version stored in clear, which takes a ` +
    `while; backup: ${copy}, with these secrets in clear: destroy it once you trust the upgrade`
  )
}

function refuseEdited(db: Database, migrations: readonly Migration[]): void {
  const applied = db.prepare<[], { version: number; sha256: string }>('SELECT version, sha256 FROM migration').all()
  for (const { version, sha256 } of applied) {
    const known = migrations.find((migration) => migration.version === version)
    if (known?.sha256 !== sha256) {
      throw AuditError.failure(`the history ${db.name} was made with another text of migration ${version}`, {
        advice: 'use the hookdrift that made the history: a released migration never changes',
      })
    }
  }
}

function prepareToReseal(db: Database, { owner, resealing }: Upgrade): void {
  if (resealing === undefined) {
    throw AuditError.failure(`the history ${db.name} is of an earlier version, and was not upgraded`, {
      advice: '`hookdrift status` upgrades it',
    })
  }
  // A run of an earlier version that is still writing would add secrets in clear after the upgrade.
  if (owner !== undefined) readLease(db, owner)
  // Overwrites replaced data, also in pages that become free.
  db.pragma('secure_delete = ON')
}

/** Takes consecutive steps, all or none. */
function apply(db: Database, steps: readonly Migration[], { now, resealing }: Upgrade): void {
  db.transaction(() => {
    const from = Number(db.pragma('user_version', { simple: true }))
    // Another process may have taken some while this one waited for the lock.
    const due = steps.filter(({ version }) => version > from)
    const last = due.at(-1)
    if (last === undefined) return
    for (const { sql } of due) db.exec(sql)
    const includes = (step: number) => from < step && last.version >= step
    if (includes(namingStep)) nameFacts(db)
    if (includes(resealingStep)) resealing?.(db, now)
    refuseLooseEnds(db, last.name)
    const note = db.prepare('INSERT INTO migration (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)')
    for (const { version, name, sha256 } of due) note.run(version, name, sha256, now)
    db.pragma(`user_version = ${last.version}`)
  }).exclusive()
}

/** Foreign keys are off during migrations, so they are checked afterwards. */
function refuseLooseEnds(db: Database, name: string): void {
  const [loose] = db.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check').all()
  if (loose === undefined) return
  throw AuditError.failure(
    `after migration ${name}, ${loose.table} would refer to rows that ${loose.parent} does not have`,
    { advice: 'the history was damaged before, and is unchanged: run `hookdrift verify` of the older version' },
  )
}
