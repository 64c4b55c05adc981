import type { Database } from 'better-sqlite3'
import { schemaFaults } from '../../schema-faults.ts'
import { expectedSchema, migrationsDirectory, readMigrations, readSchema } from '../schema.ts'
import { type Check, isInvalidTime, sentences } from './check.ts'

/** About the file and its schema. */
export const fileChecks: readonly Check[] = [
  {
    id: 'integrity_check',
    invariant: 'the file is whole: its pages, rows and indexes agree',
    means: 'the file is damaged, by the disk, by a copy made while it was written, or by another program',
    *find(db) {
      for (const answer of db.prepare<[], string>('PRAGMA integrity_check').pluck().iterate()) {
        if (answer !== 'ok') yield answer
      }
    },
  },
  {
    id: 'foreign_key_check',
    invariant: 'every row that another row refers to is there',
    means: 'rows were deleted or altered by another program',
    find: (db) =>
      sentences<{ table: string; rowid: number | null; parent: string }>(
        db,
        'PRAGMA foreign_key_check',
        ({ table, rowid, parent }) =>
          `${table}${rowid === null ? '' : ` ${rowid}`} refers to a ${parent} that is not there`,
      ),
  },
  {
    id: 'schema',
    invariant: 'tables, indexes and views are as hookdrift made them, and there is no trigger',
    means:
      'another program altered the file: a view may show invented rows, and a trigger would change what a run writes',
    *find(db) {
      for (const { text } of schemaFaults(expectedSchema(migrationsDirectory), readSchema(db))) yield text
    },
  },
  {
    id: 'migration',
    invariant: 'the migrations that made the file are those of this hookdrift',
    means: 'another program altered the record of migrations',
    *find(db) {
      const migrations = readMigrations(migrationsDirectory)
      yield* otherSchema(db, migrations.length)
      yield* sentences<{ version: number }>(
        db,
        `SELECT version FROM migration WHERE ${isInvalidTime('applied_at')}`,
        ({ version }) => `migration ${version} has an invalid time`,
      )
      const applied = db.prepare<[], { version: number; name: string; sha256: string }>(
        'SELECT version, name, sha256 FROM migration ORDER BY version',
      )
      const rows = applied.all()
      for (const { version, name, sha256 } of migrations) {
        const row = rows.find((each) => each.version === version)
        if (row === undefined) yield `migration ${version} is missing`
        else if (row.name !== name || row.sha256 !== sha256) yield `migration ${version} differs from ${name}`
      }
      for (const { version } of rows) if (version > migrations.length) yield `migration ${version} is unknown`
    },
  },
]

function* otherSchema(db: Database, newest: number): Generator<string> {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version !== newest) yield `the file is marked as schema ${version}, this hookdrift makes schema ${newest}`
}
