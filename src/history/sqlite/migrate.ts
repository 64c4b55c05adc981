import type { Database } from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import type { LeaseOwner } from '../lease-owner.ts'
import { backUpBefore } from './back-up-before.ts'
import { readLease } from './lease.ts'
import { type Migration, readMigrations } from './read-migrations.ts'
import type { ResealHistory } from './reseal/reseal-history.ts'
import { resealingStep } from './reseal/resealing-step.ts'
import { refuseAltered } from './schema/refuse-altered.ts'
import { nameFacts, namingStep } from './upgrade/name-facts.ts'

/** What an upgrade needs to know. */
export interface Upgrade {
  /** Where the migrations are. */
  readonly directory: string
  /** ISO 8601, UTC. */
  readonly now: string
  tell(text: string): void
  /** Whose process it is; undefined: nobody else can be there. */
  readonly owner?: LeaseOwner | undefined
  /** How rows are sealed anew; undefined where none can be of before. */
  readonly resealing?: ResealHistory | undefined
}

/**
 * Brings a database to the newest schema, one exclusive transaction a step. From the first step on in which the program
 * rewrites rows, all are one: it knows the newest schema only. What holds a history already is backed up first.
 * @throws AuditError.failure when the database is newer than this program, was altered, or a step that it has taken reads
 * otherwise now; 5 when a run writes to it whose rows would have to be sealed anew
 */
export function migrate(db: Database, upgrade: Upgrade): void {
  const migrations = readMigrations(upgrade.directory)
  // As of one moment: another process may take the steps meanwhile.
  const { version, holdsRows } = db.transaction(() => examine(db, migrations, upgrade.directory))()
  const [next, ...later] = migrations.slice(version)
  if (next === undefined) return
  if (holdsRows) {
    const isResealed = version < resealingStep && migrations.length >= resealingStep
    if (isResealed) prepareToReseal(db, upgrade)
    const copy = backUpBefore(db, next.version)
    if (copy !== undefined) upgrade.tell(logBackup(`schema ${version} to ${migrations.length}`, copy, isResealed))
  }
  const due = [next, ...later]
  for (const migration of due.filter((step) => step.version < resealingStep)) apply(db, [migration], upgrade)
  apply(
    db,
    due.filter((step) => step.version >= resealingStep),
    upgrade,
  )
}

interface Found {
  readonly version: number
  /** A history without a row is one that another process is making right now: there is nothing to lose. */
  readonly holdsRows: boolean
}

function examine(db: Database, migrations: readonly Migration[], directory: string): Found {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version > migrations.length) {
    throw AuditError.failure(
      `the history ${db.name} has schema ${version}, this hookdrift knows ${migrations.length}`,
      {
        advice: 'use the newer hookdrift that wrote it',
      },
    )
  }
  if (version === 0) return { version, holdsRows: false }
  refuseEdited(db, migrations)
  const row = db.prepare('SELECT 1 FROM run UNION ALL SELECT 1 FROM project LIMIT 1').get()
  if (row !== undefined && version < migrations.length) refuseAltered(db, directory, version)
  return { version, holdsRows: row !== undefined }
}

/** The newest schema that these migrations make. */
export function knownSchema(directory: string): number {
  return readMigrations(directory).length
}

function logBackup(step: string, copy: string, isResealed: boolean): string {
  if (!isResealed) return `migrating the history from ${step}; backup: ${copy}`
  return (
    `migrating the history from ${step}, and sealing what an earlier version kept in clear, which takes a while; ` +
    `backup: ${copy}, with that in clear: destroy it once you trust the upgrade`
  )
}

function refuseEdited(db: Database, migrations: readonly Migration[]): void {
  const applied = db.prepare<[], { version: number; sha256: string }>('SELECT version, sha256 FROM migration').all()
  for (const { version, sha256 } of applied) {
    const known = migrations.find((migration) => migration.version === version)
    if (known?.sha256 !== sha256) {
      throw AuditError.failure(`the history ${db.name} was made with another text of migration ${version}`, {
        advice: 'a released migration is never edited: use the hookdrift that made the history',
      })
    }
  }
}

function prepareToReseal(db: Database, { owner, resealing }: Upgrade): void {
  if (resealing === undefined) {
    throw AuditError.failure(`the history ${db.name} is one of an earlier version, and was not upgraded`, {
      advice: '`hookdrift status` upgrades it',
    })
  }
  // A run of an earlier version that goes on would write in clear behind the upgrade's back.
  if (owner !== undefined) readLease(db, owner)
  // What is replaced is overwritten, also in pages that become free.
  db.pragma('secure_delete = ON')
}

/** Takes some steps that follow each other, all or none. */
function apply(db: Database, steps: readonly Migration[], { now, resealing }: Upgrade): void {
  db.transaction(() => {
    const from = Number(db.pragma('user_version', { simple: true }))
    // Another process may have taken them while this one waited for the lock.
    const due = steps.filter(({ version }) => version > from)
    const last = due.at(-1)
    if (last === undefined) return
    for (const { sql } of due) db.exec(sql)
    const passes = (step: number) => from < step && last.version >= step
    if (passes(namingStep)) nameFacts(db)
    if (passes(resealingStep)) resealing?.(db, now)
    refuseLooseEnds(db, last.name)
    const note = db.prepare('INSERT INTO migration (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)')
    for (const { version, name, sha256 } of due) note.run(version, name, sha256, now)
    db.pragma(`user_version = ${last.version}`)
  }).exclusive()
}

/** Foreign keys are off while the schema changes. */
function refuseLooseEnds(db: Database, name: string): void {
  const [loose] = db.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check').all()
  if (loose === undefined) return
  throw AuditError.failure(
    `after migration ${name}, ${loose.table} would refer to rows that ${loose.parent} does not hold`,
    {
      advice:
        'the history is as it was before; it was damaged already: `hookdrift verify` with the older version says where',
    },
  )
}
