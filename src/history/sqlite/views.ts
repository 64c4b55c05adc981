import Database from 'better-sqlite3'
import type { ViewExplained } from '../upkeep.ts'
import { migrate } from './migrate.ts'
import { migrationsDirectory } from './migrations-directory.ts'

/** What the views are for. Their names and columns are stable: later versions only add some. */
export const views: Readonly<Record<string, string>> = {
  committed_run: 'runs, with the digests of the policy and configuration that they used',
  run_coverage: 'what each walk of each run proved, why not more (cause, reason), and what it cost',
  resource_at: 'every resource as of every run: name the run, as in WHERE run = 17',
  current_resource: 'every resource as the last committed run left it',
  drift: 'what changed, run by run; fields is a list of {path, before, after}',
  open_violation:
    "active violations as of the last committed run; no scan since last_seen could evaluate the 'unknown' ones",
  run_rule: 'the rules of each run',
  baseline: 'states that a person approved, revoked ones too; drift rules compare with the one where is_active is 1',
}

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
