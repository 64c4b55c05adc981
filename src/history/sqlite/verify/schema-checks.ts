import type { Database } from 'better-sqlite3'
import { migrationsDirectory } from '../migrations-directory.ts'
import { readMigrations } from '../read-migrations.ts'
import { expectedSchema } from '../schema/expected-schema.ts'
import { readSchema } from '../schema/read-schema.ts'
import { schemaFaults } from '../schema/schema-faults.ts'
import { type Check, sentences } from './check.ts'
import { isInvalidTime } from './is-time.ts'

/** What hookdrift made in the file, and nothing else. */
export const schemaChecks: readonly Check[] = [
  {
    id: 'schema',
    holds: 'tables, indexes and views are as hookdrift made them, and there is no trigger',
    means:
      'another program altered the file: a view shows what somebody else wrote into it, and a trigger would change what a run writes',
    *find(db) {
      for (const { text } of schemaFaults(expectedSchema(migrationsDirectory), readSchema(db))) yield text
    },
  },
  {
    id: 'migration',
    holds: 'the steps that made the file are the ones that this hookdrift knows',
    means: 'another program altered what the file says of how it was made',
    *find(db) {
      const known = readMigrations(migrationsDirectory)
      yield* unlikeKnown(db, known.length)
      yield* sentences<{ version: number }>(
        db,
        `SELECT version FROM migration WHERE ${isInvalidTime('applied_at')}`,
        ({ version }) => `step ${version} was taken at a time that cannot be`,
      )
      const applied = db.prepare<[], { version: number; name: string; sha256: string }>(
        'SELECT version, name, sha256 FROM migration ORDER BY version',
      )
      const rows = applied.all()
      for (const { version, name, sha256 } of known) {
        const row = rows.find((each) => each.version === version)
        if (row === undefined) yield `step ${version} is missing`
        else if (row.name !== name || row.sha256 !== sha256) yield `step ${version} is another than ${name}`
      }
      for (const { version } of rows) if (version > known.length) yield `step ${version} is not known`
    },
  },
]

function* unlikeKnown(db: Database, known: number): Generator<string> {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version !== known) yield `the file calls itself schema ${version}, this hookdrift made schema ${known}`
}
