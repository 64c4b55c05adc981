import Database from 'better-sqlite3'
import { readMigrations } from '../read-migrations.ts'
import { readSchema, type SchemaObject } from './read-schema.ts'

/** What the migrations of a directory make, up to a version or all of them. Takes some milliseconds. */
export function expectedSchema(directory: string, version = Number.POSITIVE_INFINITY): SchemaObject[] {
  const db = new Database(':memory:')
  try {
    for (const migration of readMigrations(directory)) if (migration.version <= version) db.exec(migration.sql)
    return readSchema(db)
  } finally {
    db.close()
  }
}
