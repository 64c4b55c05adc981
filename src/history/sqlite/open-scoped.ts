import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { packageFile } from '../../model/package-files.ts'
import { views } from '../views.ts'

/**
 * A connection to an open history for readers of some projects, which cannot write. Its temporary views have the names of
 * all tables and views, and come before these: `own_projects` and its like say whose rows they have.
 */
export function openScoped(whole: Database.Database): Database.Database {
  const db = whole.memory
    ? new Database(whole.serialize(), { readonly: true })
    : new Database(whole.name, { readonly: true, fileMustExist: true, timeout: 5_000 })
  db.pragma('temp_store = MEMORY')
  db.exec(readFileSync(packageFile('migrations/scoped/sqlite.sql'), 'utf8'))
  const made = db.prepare<[], { name: string; sql: string }>(
    `SELECT name, sql FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'
       AND name NOT IN (SELECT name FROM temp.sqlite_schema)`,
  )
  for (const { name, sql } of made.all()) {
    // A view that nothing can be read from hides what has no form for these readers.
    db.exec(
      Object.hasOwn(views, name)
        ? sql.replace('CREATE VIEW', 'CREATE TEMP VIEW')
        : `CREATE TEMP VIEW "${name}" AS SELECT * FROM "${name}, which is not for readers of some projects"`,
    )
  }
  return db
}
