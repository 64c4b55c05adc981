import { isPolicyProject, type Listing, type ProjectRef } from '../../model/resource.ts'
import { deriveCompleteScans } from '../derive-complete-scans.ts'
import type { CommittedRun, RecordedScan } from '../reader.ts'
import type { CompleteScans } from '../records.ts'
import { compareText, inListingOrder } from '../report-order.ts'
import { type StoredWalk, toCoverage } from '../stored-walk.ts'
import type { Session } from './connect.ts'
import { isProjectSql, lastScanSql } from './sql-fragments.ts'

interface ScanRow extends ProjectRef, CommittedRun {
  readonly id: number
  readonly incompleteRun: number | null
  readonly incompleteStart: string
  readonly incompleteEnd: string
}

/** The last scan of each project, and the first one after its last complete one. */
const scansSql = `SELECT l.id, l.name, l.service, l.uid, r.number, r.started_at AS "startedAt",
    r.finished_at AS "finishedAt", i.number AS "incompleteRun", i.started_at AS "incompleteStart",
    i.finished_at AS "incompleteEnd"
  FROM (${lastScanSql('$1')}) l JOIN hookdrift.run r ON r.number = l.run
  LEFT JOIN LATERAL (SELECT s.run FROM hookdrift.scan s WHERE s.project_id = l.id AND s.run <= l.run
    AND NOT EXISTS (SELECT 1 FROM hookdrift.walk o WHERE o.project_id = s.project_id AND o.run = s.run
      AND o.status NOT IN ('complete', 'skipped') OFFSET 0)
    ORDER BY s.run DESC LIMIT 1) c ON true
  LEFT JOIN LATERAL (SELECT n.run FROM hookdrift.scan n WHERE n.project_id = l.id AND n.run <= l.run
    AND n.run > coalesce(c.run, 0) ORDER BY n.run LIMIT 1) n ON true
  LEFT JOIN hookdrift.run i ON i.number = n.run`

export async function latestScansAt(session: Session, run: number, only?: ProjectRef): Promise<RecordedScan[]> {
  const found =
    only === undefined
      ? await session.all<ScanRow>(`${scansSql} ORDER BY l.id`, [run])
      : await session.all<ScanRow>(`${scansSql} WHERE ${isProjectSql('l', '$2', '$3')}`, [run, only.service, only.uid])
  const scans = found.filter((project) => !isPolicyProject(project)).sort((a, b) => compareText(a.name, b.name))
  const walks = await session.all<StoredWalk & { projectId: number }>(
    `SELECT w.project_id AS "projectId", w.listing, w.status, w.filter, w.cause, w.reason, w.pages, w.items, w.requests,
       w.retries, w.duration_ms AS "durationMs", w.total AS "of", w.oldest_at AS "oldestAt"
     FROM unnest($1::bigint[], $2::bigint[]) AS a (run, project) JOIN hookdrift.walk w ON w.run = a.run
       AND w.project_id = a.project`,
    [scans.map(({ number }) => number), scans.map(({ id }) => id)],
  )
  const walksOf = Map.groupBy(walks, ({ projectId }) => projectId)
  return scans.map((scan) => ({
    project: { name: scan.name, service: scan.service, uid: scan.uid },
    run: { number: scan.number, startedAt: scan.startedAt, finishedAt: scan.finishedAt },
    coverage: (walksOf.get(scan.id) ?? []).map(({ projectId: _, ...walk }) => toCoverage(walk)).sort(inListingOrder),
    incompleteSince:
      scan.incompleteRun === null
        ? undefined
        : { number: scan.incompleteRun, startedAt: scan.incompleteStart, finishedAt: scan.incompleteEnd },
  }))
}

interface CompleteWalkRow {
  readonly listing: Listing
  readonly run: number
  readonly filter: string | null
  readonly normaliser: number | null
  readonly isLifted: boolean
}

/** The last complete walk of each listing; and that of the subscriptions in a run after it that did not list sources. */
const completeSql = `WITH wanted AS (SELECT p.id FROM hookdrift.project p WHERE ${isProjectSql('p', '$1', '$2')}),
  complete AS (
    SELECT f.listing, w.run, w.filter FROM wanted p JOIN hookdrift.first_complete_walk f ON f.project_id = p.id
    CROSS JOIN LATERAL (SELECT o.run, o.filter FROM hookdrift.scan s
      JOIN hookdrift.walk o ON o.run = s.run AND o.project_id = s.project_id AND o.listing = f.listing
      WHERE s.project_id = f.project_id AND s.run BETWEEN f.run AND $3 AND o.status = 'complete'
      ORDER BY s.run DESC LIMIT 1) w),
  lifted AS (
    SELECT w.run, w.filter FROM wanted p CROSS JOIN LATERAL (SELECT o.run, o.filter FROM hookdrift.scan s
      JOIN hookdrift.walk o ON o.run = s.run AND o.project_id = s.project_id AND o.listing = 'subscriptions'
      WHERE s.project_id = p.id AND s.run <= $3 AND o.status = 'complete'
        AND s.run > coalesce((SELECT run FROM complete WHERE listing = 'sources'), 0)
        AND NOT EXISTS (SELECT 1 FROM hookdrift.walk n WHERE n.run = s.run AND n.project_id = s.project_id
          AND n.listing = 'sources' AND n.status <> 'skipped' OFFSET 0)
      ORDER BY s.run DESC LIMIT 1) w)
  SELECT w.*, r.normal_form_version AS normaliser FROM (
    SELECT listing, run, filter, false AS "isLifted" FROM complete
    UNION ALL SELECT 'subscriptions', run, filter, true FROM lifted) w
  JOIN hookdrift.run r ON r.number = w.run`

/** The last complete scan of each kind as of a run. */
export async function completeScansAt(
  session: Session,
  { service, uid }: ProjectRef,
  run: number,
): Promise<CompleteScans> {
  const rows = await session.all<CompleteWalkRow>(completeSql, [service, uid, run])
  const walkIn = (found: readonly CompleteWalkRow[]) => found.map(({ run, filter }) => ({ run, filter }))[0]
  return deriveCompleteScans({
    lastComplete: (listing) => walkIn(rows.filter((row) => !row.isLifted && row.listing === listing)),
    lastLifted: () => walkIn(rows.filter(({ isLifted }) => isLifted)),
    normaliserOf: (number) => rows.find(({ run }) => run === number)?.normaliser ?? undefined,
  })
}
