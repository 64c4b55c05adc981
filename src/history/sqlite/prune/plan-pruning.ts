import type { Database } from 'better-sqlite3'
import { type RetentionRules, reasonsToKeep } from '../../retention.ts'
import type { PlannedRun } from '../../upkeep.ts'
import { committedRuns } from '../rows.ts'
import { lastLiftedSql, latestScansAt } from '../scans-at.ts'

/** Every committed run, oldest first, with the reasons to keep it: the retention rules and the history's own needs. */
export function planPruning(db: Database, keep: RetentionRules): PlannedRun[] {
  const runs = committedRuns(db)
  const asked = reasonsToKeep(runs, keep)
  const needed = neededRuns(db, runs.at(-1)?.number ?? 0)
  return runs.map((run) => ({
    ...run,
    reasons: [...(asked.get(run.number) ?? []), ...(needed.get(run.number) ?? [])],
  }))
}

/** Runs that are always kept: for active violations, the comparison of the next run, and approvals. */
function neededRuns(db: Database, latest: number): Map<number, string[]> {
  const reasons = new Map<number, string[]>()
  const need = (reason: string, runs: Iterable<number | null>) => {
    for (const run of new Set(runs)) if (run !== null) reasons.set(run, [...(reasons.get(run) ?? []), reason])
  }
  const numbers = (sql: string) => db.prepare<[], number>(sql).pluck().all()
  if (latest > 0) need('current state', [latest])
  need('opened an active violation', numbers('SELECT DISTINCT first_run FROM violation WHERE to_run IS NULL'))
  need('the value before an open drift', numbers(`SELECT DISTINCT origin_run FROM violation WHERE ${mayBeCompared}`))
  const lifted = db.prepare<[number, number, number], number>(lastLiftedSql).pluck()
  need('last complete walk', [
    ...numbers("SELECT max(run) FROM walk WHERE status = 'complete' GROUP BY project_id, listing"),
    ...numbers('SELECT id FROM project').map((project) => lifted.get(project, latest + 1, 0) ?? null),
  ])
  need('last scan of a project', numbers('SELECT max(run) FROM scan GROUP BY project_id'))
  const since = latestScansAt(db, latest).map(({ incompleteSince }) => incompleteSince?.number ?? null)
  need('first incomplete scan of a project', since)
  need('approved baseline', numbers(approvedSql))
  need(
    'a message about it waits',
    numbers("SELECT DISTINCT run FROM notification WHERE state = 'pending' AND run IS NOT NULL"),
  )
  return reasons
}

/** Active violations, and accepted ones: an acceptance may be revoked. */
const mayBeCompared = `to_run IS NULL OR (resolution = 'accepted' AND fingerprint IN (SELECT fingerprint FROM acceptance))`

/** The last approval of a project is the active one. Not read from the view `baseline`, which may be altered. */
const approvedSql = `
  SELECT DISTINCT a.run FROM approval a WHERE a.run IS NOT NULL AND a.revoked_at IS NULL
    AND a.id = (SELECT max(b.id) FROM approval b WHERE b.project_id = a.project_id)`
