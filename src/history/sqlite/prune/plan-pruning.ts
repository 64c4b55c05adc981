import type { Database } from 'better-sqlite3'
import { mayBeCompared, type Need, planRuns } from '../../plan-runs.ts'
import type { RetentionRules } from '../../retention.ts'
import type { PlannedRun } from '../../upkeep.ts'
import { committedRuns } from '../rows.ts'
import { lastLiftedSql, latestScansAt } from '../scans-at.ts'

/** Every committed run, oldest first, with the reasons to keep it: the retention rules and the history's own needs. */
export function planPruning(db: Database, keep: RetentionRules): PlannedRun[] {
  const runs = committedRuns(db)
  return planRuns(runs, keep, needsOf(db, runs.at(-1)?.number ?? 0))
}

/** Runs that are always kept: for active violations, the comparison of the next run, and approvals. */
function needsOf(db: Database, latest: number): Need[] {
  const numbers = (sql: string) => db.prepare<[], number>(sql).pluck().all()
  const lifted = db.prepare<[number, number, number], number>(lastLiftedSql).pluck()
  return [
    ['current state', [latest]],
    ['opened an active violation', numbers('SELECT DISTINCT first_run FROM violation WHERE to_run IS NULL')],
    ['the value before an open drift', numbers(`SELECT DISTINCT origin_run FROM violation WHERE ${mayBeCompared('')}`)],
    [
      'last complete walk',
      [
        ...numbers("SELECT max(run) FROM walk WHERE status = 'complete' GROUP BY project_id, listing"),
        ...numbers('SELECT id FROM project').map((project) => lifted.get(project, latest + 1, 0) ?? null),
      ],
    ],
    ['last scan of a project', numbers('SELECT max(run) FROM scan GROUP BY project_id')],
    [
      'first incomplete scan of a project',
      latestScansAt(db, latest).map(({ incompleteSince }) => incompleteSince?.number ?? null),
    ],
    ['approved baseline', numbers(approvedSql)],
    [
      'a message about it waits',
      numbers("SELECT DISTINCT run FROM notification WHERE state = 'pending' AND run IS NOT NULL"),
    ],
  ]
}

/** The last approval of a project is the active one. Not read from the view `baseline`, which may be altered. */
const approvedSql = `
  SELECT DISTINCT a.run FROM approval a WHERE a.run IS NOT NULL AND a.revoked_at IS NULL
    AND a.id = (SELECT max(b.id) FROM approval b WHERE b.project_id = a.project_id)`
