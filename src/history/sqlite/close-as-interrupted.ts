import type { Database } from 'better-sqlite3'

/** Deletes the rows that a run drafted and records it as interrupted. */
export function closeAsInterrupted(db: Database, run: number, now: string): void {
  const floors = db
    .prepare<[number], { version: number; violation: number }>(
      'SELECT version_floor AS version, violation_floor AS violation FROM run WHERE number = ?',
    )
    .get(run)
  if (floors === undefined) return
  db.prepare('DELETE FROM version WHERE id > ?').run(floors.version)
  db.prepare('DELETE FROM violation WHERE id > ?').run(floors.violation)
  for (const table of ['change', 'walk', 'scan', 'notice', 'withheld_removal'])
    db.prepare(`DELETE FROM ${table} WHERE run = ?`).run(run)
  db.prepare("UPDATE run SET state = 'interrupted', finished_at = ? WHERE number = ?").run(now, run)
}
