import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { backUpBefore } from './back-up-before.ts'

interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly sha256: string
}

/**
 * Brings a database to the newest schema, one exclusive transaction a step. What holds a history already is backed up
 * first.
 * @throws AuditError 4 when the database is newer than this program, or a step that it has taken reads otherwise now
 */
export function migrate(db: Database, directory: string, now: string, tell: (text: string) => void): void {
  const migrations = readMigrations(directory)
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version > migrations.length) {
    throw new AuditError(4, `the history ${db.name} has schema ${version}, this hookdrift knows ${migrations.length}`, {
      advice: 'use the newer hookdrift that wrote it',
    })
  }
  if (version > 0) refuseEdited(db, migrations)
  const [next, ...later] = migrations.slice(version)
  if (next === undefined) return
  if (version > 0 && holdsRuns(db)) {
    const copy = backUpBefore(db, next.version)
    if (copy !== undefined) {
      tell(
        `the history is brought from schema ${version} to ${migrations.length}; as it was before, it is kept in ${copy}`,
      )
    }
  }
  for (const migration of [next, ...later]) apply(db, migration, now)
}

/** A history without a run is one that another process is making right now: there is nothing to lose. */
function holdsRuns(db: Database): boolean {
  return db.prepare('SELECT 1 FROM run LIMIT 1').get() !== undefined
}

/** The newest schema that these migrations make. */
export function knownSchema(directory: string): number {
  return readMigrations(directory).length
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name, index) => {
      // A step that is passed over in silence would be missed by every history.
      if (Number(name.slice(0, 4)) !== index + 1) throw new Error(`migration ${name} is not number ${index + 1}`)
      const sql = readFileSync(join(directory, name), 'utf8')
      return { version: index + 1, name, sql, sha256: hash('sha256', sql) }
    })
}

function refuseEdited(db: Database, migrations: readonly Migration[]): void {
  const applied = db.prepare<[], { version: number; sha256: string }>('SELECT version, sha256 FROM migration').all()
  for (const { version, sha256 } of applied) {
    const known = migrations.find((migration) => migration.version === version)
    if (known?.sha256 !== sha256) {
      throw new AuditError(4, `the history ${db.name} was made with another text of migration ${version}`, {
        advice: 'a released migration is never edited: use the hookdrift that made the history',
      })
    }
  }
}

function apply(db: Database, { version, name, sql, sha256 }: Migration, now: string): void {
  db.transaction(() => {
    // Another process may have taken the step while this one waited for the lock.
    if (Number(db.pragma('user_version', { simple: true })) >= version) return
    db.exec(sql)
    refuseLooseEnds(db, name)
    db.prepare('INSERT INTO migration (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)').run(
      version,
      name,
      sha256,
      now,
    )
    db.pragma(`user_version = ${version}`)
  }).exclusive()
}

/** Foreign keys are off while the schema changes. */
function refuseLooseEnds(db: Database, name: string): void {
  const [loose] = db.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check').all()
  if (loose === undefined) return
  throw new AuditError(
    4,
    `after migration ${name}, ${loose.table} would refer to rows that ${loose.parent} does not hold`,
    {
      advice:
        'the history is as it was before; it was damaged already: `hookdrift verify` with the older version says where',
    },
  )
}
