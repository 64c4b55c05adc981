import { mayBeCompared, type Need, planRuns } from '../plan-runs.ts'
import type { RetentionRules } from '../retention.ts'
import type { PlannedRun } from '../upkeep.ts'
import { committedRuns } from './runs.ts'
import { latestScansAt } from './scans.ts'
import type { Session } from './session.ts'

/** Every committed run, oldest first, with the reasons to keep it: the retention rules and the history's own needs. */
export async function planPruning(session: Session, keep: RetentionRules): Promise<PlannedRun[]> {
  const runs = await committedRuns(session)
  return planRuns(runs, keep, await needsOf(session, runs.at(-1)?.number ?? 0))
}

/** Runs that are always kept: for active violations, the comparison of the next run, and approvals. */
async function needsOf(session: Session, latest: number): Promise<Need[]> {
  const numbers = async (sql: string) => {
    const rows = await session.all<{ readonly run: number | null }>(sql)
    return rows.map(({ run }) => run)
  }
  const scans = await latestScansAt(session, latest)
  return [
    ['current state', [latest]],
    [
      'opened an active violation',
      await numbers('SELECT DISTINCT first_run AS run FROM hookdrift.violation WHERE to_run IS NULL'),
    ],
    [
      'the value before an open drift',
      await numbers(`SELECT DISTINCT origin_run AS run FROM hookdrift.violation WHERE ${mayBeCompared('hookdrift.')}`),
    ],
    ['last complete walk', await numbers(lastCompleteSql)],
    ['last scan of a project', await numbers('SELECT max(run) AS run FROM hookdrift.scan GROUP BY project_id')],
    ['first incomplete scan of a project', scans.map(({ incompleteSince }) => incompleteSince?.number ?? null)],
    ['approved baseline', await numbers(approvedSql)],
    [
      'a message about it waits',
      await numbers("SELECT DISTINCT run FROM hookdrift.notification WHERE state = 'pending' AND run IS NOT NULL"),
    ],
  ]
}

/** The last complete walks of each listing, and of the subscriptions in a run that did not list sources. */
const lastCompleteSql = `
  SELECT max(run) AS run FROM hookdrift.walk WHERE status = 'complete' GROUP BY project_id, listing
  UNION SELECT (SELECT s.run FROM hookdrift.scan s CROSS JOIN hookdrift.walk w
    WHERE s.project_id = p.id AND w.run = s.run AND w.project_id = s.project_id AND w.listing = 'subscriptions'
      AND w.status = 'complete' AND NOT EXISTS (SELECT 1 FROM hookdrift.walk o WHERE o.run = s.run
        AND o.project_id = s.project_id AND o.listing = 'sources' AND o.status <> 'skipped')
    ORDER BY s.run DESC LIMIT 1) AS run FROM hookdrift.project p`

/** The last approval of a project is the active one. Not read from the view `baseline`, which may be altered. */
const approvedSql = `
  SELECT DISTINCT a.run FROM hookdrift.approval a WHERE a.run IS NOT NULL AND a.revoked_at IS NULL
    AND a.id = (SELECT max(b.id) FROM hookdrift.approval b WHERE b.project_id = a.project_id)`
