import Database from 'better-sqlite3'
import type { ViewExplained } from '../upkeep.ts'
import { views } from '../views.ts'
import { migrate } from './migrate.ts'
import { migrationsDirectory } from './schema.ts'

/** The views of the newest schema, in the order in which they were made. */
export function explainViews(): ViewExplained[] {
  const db = new Database(':memory:')
  try {
    migrate(db, { directory: migrationsDirectory, now: '', warn: () => {} })
    const names = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY rowid")
      .pluck()
      .all()
    const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck()
    return names.map((view) => ({ view, about: views[view] ?? '', columns: columns.all(view) }))
  } finally {
    db.close()
  }
}
