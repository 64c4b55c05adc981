import type { Database } from 'better-sqlite3'
import { rangesOf } from '../../chain/pruned-runs.ts'
import { refuseBroken, refuseToKeepNothing } from '../../plan-runs.ts'
import { planPruning } from '../../sql/plan-pruning.ts'
import type { PlannedRun, PruneRequest } from '../../upkeep.ts'
import { makeCheckpoint } from '../chain/chain.ts'
import { findBrokenLinks } from '../chain/check-chain.ts'
import { closeKilledRuns, type LocalProcess, releaseSql, takeLease } from '../lease.ts'
import type { SqliteDatabase } from '../sqlite-database.ts'

/**
 * Removes the runs without a reason to keep them, all or none. Rows that a kept run needs stay, so its report does not
 * change. Writes a checkpoint, so that the chain still verifies.
 * @throws AuditError.usage when no retention option is given
 * @throws AuditError.failure when the history does not verify
 * @throws AuditError.busy when another run owns the lease
 */
export async function pruneHistory(
  database: SqliteDatabase,
  owner: LocalProcess,
  order: PruneRequest,
): Promise<PlannedRun[]> {
  refuseToKeepNothing(order.keep)
  const db = database.connection
  return database.transaction(async (session) => {
    const token = takeLease(db, owner)
    const now = new Date(owner.now()).toISOString()
    closeKilledRuns(db, now)
    const plan = await planPruning(session, order.keep)
    const gone = plan.filter(({ reasons }) => reasons.length === 0).map(({ number }) => number)
    if (gone.length > 0) {
      // The checkpoint covers the remaining rows anew, so they must not be altered.
      const [broken] = findBrokenLinks(db)
      refuseBroken(db.name, broken)
      const all = [...gone, ...interruptedBefore(db, gone)].sort((a, b) => a - b)
      removeRuns(db, gone, plan)
      const { options, toolVersion } = order
      makeCheckpoint(db, { madeAt: now, toolVersion, options, runs: rangesOf(all) })
    }
    db.prepare(releaseSql).run(token)
    return plan
  })
}

/** Interrupted runs belong to the committed run after them, and go with it. */
function interruptedBefore(db: Database, gone: readonly number[]): number[] {
  return db
    .prepare<[string], number>(
      `SELECT i.number FROM run i WHERE i.state = 'interrupted' AND (SELECT min(r.number) FROM run r
         WHERE r.number > i.number AND r.state IN ('committed', 'pruned')) IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
    .all(JSON.stringify(gone))
}

function removeRuns(db: Database, gone: readonly number[], plan: readonly PlannedRun[]): void {
  const kept = plan.filter(({ reasons }) => reasons.length > 0).map(({ number }) => number)
  db.exec(`
    CREATE TEMP TABLE IF NOT EXISTS kept_run (run INTEGER PRIMARY KEY);
    CREATE TEMP TABLE IF NOT EXISTS kept_scan (project_id INTEGER, run INTEGER, PRIMARY KEY (project_id, run)) WITHOUT ROWID;
    DELETE FROM kept_run;
    DELETE FROM kept_scan;`)
  db.prepare('INSERT INTO kept_run SELECT value FROM json_each(?)').run(JSON.stringify(kept))
  db.prepare(`DELETE FROM run WHERE number IN (SELECT value FROM json_each(?))`).run(
    JSON.stringify(interruptedBefore(db, gone)),
  )
  db.prepare(
    `UPDATE run SET state = 'pruned', previous = NULL, part_digests = NULL, chain = NULL,
       rules_document = NULL, projects_document = NULL WHERE number IN (SELECT value FROM json_each(?))`,
  ).run(JSON.stringify(gone))
  db.exec(`${keepScans}
    DELETE FROM change WHERE run IN ${pruned};
    DELETE FROM notice WHERE run IN ${pruned};
    DELETE FROM withheld_removal WHERE run IN ${pruned} AND (project_id, run) NOT IN (SELECT project_id, run FROM kept_scan);
    DELETE FROM walk WHERE run IN ${pruned} AND (project_id, run) NOT IN (SELECT project_id, run FROM kept_scan);
    DELETE FROM scan WHERE run IN ${pruned} AND (project_id, run) NOT IN (SELECT project_id, run FROM kept_scan);`)
  for (const table of ['version', 'violation']) {
    // Ids order rows by age, so the greatest one must never be reused.
    db.exec(`DELETE FROM ${table} WHERE ${isOutlived} AND id < (SELECT max(id) FROM ${table})`)
  }
  db.exec(`DELETE FROM unreferenced WHERE ${isOutlived}`)
  db.exec(
    `DELETE FROM run WHERE state = 'pruned' ${referencesTo(db, 'run')
      .map(({ table, column }) => `AND NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.${column} = run.number)`)
      .join(' ')}`,
  )
  db.exec(
    `DELETE FROM document WHERE true ${referencesTo(db, 'document')
      .map(({ table, column }) => `AND sha256 NOT IN (SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL)`)
      .join(' ')}`,
  )
}

const pruned = "(SELECT number FROM run WHERE state = 'pruned')"

/** Neither valid in a kept run nor ended by one: a run reports what it ended. */
const isOutlived =
  'to_run IS NOT NULL AND NOT EXISTS (SELECT 1 FROM kept_run k WHERE k.run BETWEEN from_run AND to_run)'

/**
 * Scans of pruned runs that queries about a kept run still read: the last scan and the last complete walks by then, the
 * scan before a run that resolved a violation, and the last walks with a shape and a status.
 */
const keepScans = `
  INSERT OR IGNORE INTO kept_scan
    SELECT project_id, scan FROM (
      SELECT p.id AS project_id, (SELECT max(s.run) FROM scan s
        WHERE s.project_id = p.id AND s.run <= k.run) AS scan
      FROM kept_run k CROSS JOIN project p) WHERE scan IS NOT NULL;
  INSERT OR IGNORE INTO kept_scan
    SELECT project_id, scan FROM (
      SELECT l.project_id, (SELECT s.run FROM scan s CROSS JOIN walk w ON w.run = s.run AND w.project_id = s.project_id
        WHERE s.project_id = l.project_id AND w.listing = l.listing AND w.status = 'complete' AND s.run <= k.run
        ORDER BY s.run DESC LIMIT 1) AS scan
      FROM kept_run k CROSS JOIN first_complete_walk l) WHERE scan IS NOT NULL;
  INSERT OR IGNORE INTO kept_scan
    SELECT project_id, scan FROM (
      SELECT x.project_id, (SELECT max(s.run) FROM scan s
        WHERE s.project_id = x.project_id AND s.run < x.to_run) AS scan
      FROM kept_run k CROSS JOIN violation x ON x.to_run = k.run WHERE x.last_run IS NULL) WHERE scan IS NOT NULL;
  INSERT OR IGNORE INTO kept_scan SELECT project_id, max(run) FROM walk WHERE shape IS NOT NULL GROUP BY project_id, listing;
  INSERT OR IGNORE INTO kept_scan SELECT project_id, max(run) FROM walk GROUP BY project_id, listing;`

/** Every column that refers to a table. */
function referencesTo(db: Database, parent: string): { table: string; column: string }[] {
  return db
    .prepare<[string], { table: string; column: string }>(
      `SELECT s.name AS "table", f."from" AS "column" FROM sqlite_schema s JOIN pragma_foreign_key_list(s.name) f
       WHERE s.type = 'table' AND f."table" = ?`,
    )
    .all(parent)
}
