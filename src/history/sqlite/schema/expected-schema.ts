import Database from 'better-sqlite3'
import { readMigrations } from '../read-migrations.ts'
import { readSchema, type SchemaObject } from './read-schema.ts'

const made = new Map<string, readonly SchemaObject[]>()

/** The schema that the migrations of a directory make, up to `version`. Takes some milliseconds the first time. */
export function expectedSchema(directory: string, version = Number.POSITIVE_INFINITY): readonly SchemaObject[] {
  const key = `${version} ${directory}`
  const schema = made.get(key) ?? makeSchema(directory, version)
  made.set(key, schema)
  return schema
}

function makeSchema(directory: string, version: number): SchemaObject[] {
  const db = new Database(':memory:')
  try {
    for (const migration of readMigrations(directory)) if (migration.version <= version) db.exec(migration.sql)
    return readSchema(db)
  } finally {
    db.close()
  }
}
