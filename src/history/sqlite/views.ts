import Database from 'better-sqlite3'
import { migrate } from './migrate.ts'
import { migrationsDirectory } from './migrations-directory.ts'

export interface ViewExplained {
  readonly view: string
  readonly about: string
  readonly columns: readonly string[]
}

/** What the views are for. Their names and columns are stable: some may be added, none is changed. */
export const views: Readonly<Record<string, string>> = {
  sealed_run: 'the runs that were sealed, with the digests of what they judged by',
  run_coverage: 'what each walk of each run proved, and what it cost',
  resource_at: 'every resource as of every run: say which, as in WHERE run = 17',
  current_resource: 'every resource as the last sealed run left it',
  drift: 'what changed, run by run; fields is a list of {path, before, after}',
  open_violation: "violations that stand as of the last sealed run; 'unknown' ones were not looked at since last_seen",
  run_rule: 'which rules judged, run by run',
  baseline: 'states that a person approved, revoked ones too; holds says whether drift rules compare with it',
}

/** The views of the newest schema, in the order in which they were made. */
export function explainViews(): ViewExplained[] {
  const db = new Database(':memory:')
  try {
    migrate(db, { directory: migrationsDirectory, now: '', tell: () => {} })
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
