import type { Database } from 'better-sqlite3'
import { isPolicyProject, type Listing, type ProjectRef } from '../../model/resource.ts'
import { deriveCompleteScans } from '../derive-complete-scans.ts'
import type { CommittedRun, RecordedScan } from '../reader.ts'
import type { CompleteScans } from '../records.ts'
import { compareText, inListingOrder } from '../report-order.ts'
import { type StoredWalk, toCoverage } from '../stored-walk.ts'
import { cachedStatement } from './cached-statement.ts'
import { damaged } from './describe-damage.ts'

/** A project's row and its last scan as of a run. */
export interface ScanRow extends ProjectRef {
  readonly id: number
  readonly run: number
}

const lastScanSql = `SELECT p.id, s.name, p.service, p.uid, s.run FROM project p CROSS JOIN scan s ON s.project_id = p.id
  AND s.run = (SELECT max(l.run) FROM scan l WHERE l.project_id = p.id AND l.run <= ?)`

/** Every project that was scanned by a run, with its name as of its last scan then. */
export function latestScanNumbers(db: Database, run: number): ScanRow[] {
  return cachedStatement<[number], ScanRow>(db, lastScanSql)
    .all(run)
    .sort((a, b) => compareText(a.name, b.name))
}

/** The name of a project as of a run; undefined when none had scanned it by then. */
export function nameAt(db: Database, project: number, run: number): string | undefined {
  return cachedStatement<[number, number], string>(
    db,
    'SELECT name FROM scan WHERE project_id = ? AND run <= ? ORDER BY run DESC LIMIT 1',
  )
    .pluck()
    .get(project, run)
}

function lastScanAt(db: Database, run: number, { service, uid }: ProjectRef): ScanRow[] {
  const sql = `${lastScanSql} WHERE p.service = ? AND p.uid = ?`
  return cachedStatement<[number, string, string], ScanRow>(db, sql).all(run, service, uid)
}

export function latestScansAt(db: Database, run: number, only?: ProjectRef): RecordedScan[] {
  const coverage = cachedStatement<[number, number], StoredWalk>(
    db,
    `SELECT listing, status, filter, cause, reason, pages, items, requests, retries, duration_ms AS durationMs,
       total AS "of", oldest_at AS oldestAt
     FROM walk WHERE run = ? AND project_id = ?`,
  )
  const time = cachedStatement<[number], CommittedRun>(
    db,
    'SELECT number, started_at AS startedAt, finished_at AS finishedAt FROM run WHERE number = ?',
  )
  const incomplete = cachedStatement<{ project: number; run: number }, number | null>(
    db,
    `SELECT min(n.run) FROM scan n WHERE n.project_id = @project AND n.run <= @run
         AND n.run > ifnull((SELECT s.run FROM scan s WHERE s.project_id = @project AND s.run <= @run
           AND NOT EXISTS (SELECT 1 FROM walk o WHERE o.project_id = @project AND o.run = s.run
             AND o.status NOT IN ('complete', 'skipped'))
           ORDER BY s.run DESC LIMIT 1), 0)`,
  ).pluck()
  const scans = only === undefined ? latestScanNumbers(db, run) : lastScanAt(db, run, only)
  const ofServices = scans.filter((project) => !isPolicyProject(project))
  return ofServices.map(({ id, run: scan, ...project }) => {
    const since = incomplete.get({ project: id, run: scan }) ?? undefined
    return {
      project,
      run: must(db, time.get(scan)),
      coverage: coverage.all(scan, id).map(toCoverage).sort(inListingOrder),
      incompleteSince: since === undefined ? undefined : must(db, time.get(since)),
    }
  })
}

/** The last complete walk of each listing by a run, with the normal form of its run. */
const lastCompleteSql = `SELECT f.listing, w.run, w.filter, r.normal_form_version AS normaliser FROM first_complete_walk f
  CROSS JOIN walk w ON w.project_id = f.project_id AND w.listing = f.listing AND w.run = (
    SELECT s.run FROM scan s CROSS JOIN walk l ON l.run = s.run AND l.project_id = s.project_id
    WHERE s.project_id = f.project_id AND s.run BETWEEN f.run AND @run AND l.listing = f.listing AND l.status = 'complete'
    ORDER BY s.run DESC LIMIT 1)
  CROSS JOIN run r ON r.number = w.run WHERE f.project_id = @project`

/** The last complete walk of the subscriptions between two runs, in a run that did not list sources. */
export const lastLiftedSql = `SELECT w.run, w.filter FROM scan s CROSS JOIN walk w ON w.run = s.run AND w.project_id = s.project_id
  WHERE s.project_id = ? AND w.listing = 'subscriptions' AND s.run < ? AND s.run > ? AND w.status = 'complete'
  AND NOT EXISTS (SELECT 1 FROM walk o WHERE o.run = s.run AND o.project_id = s.project_id
  AND o.listing = 'sources' AND o.status <> 'skipped')
  ORDER BY s.run DESC LIMIT 1`

export function completeScansAt(db: Database, project: ProjectRef, run: number): CompleteScans {
  const id = findProject(db, project)
  if (id === undefined) return {}
  type Walk = { run: number; filter: string | null }
  type CompleteWalk = Walk & { listing: Listing; normaliser: number | null }
  const complete = cachedStatement<{ project: number; run: number }, CompleteWalk>(db, lastCompleteSql)
  const lastLifted = cachedStatement<[number, number, number], Walk>(db, lastLiftedSql)
  const normaliser = cachedStatement<[number], number | null>(
    db,
    'SELECT normal_form_version FROM run WHERE number = ?',
  ).pluck()
  const found = new Map(complete.all({ project: id, run }).map((walk) => [walk.listing, walk]))
  const normalisers = new Map([...found.values()].map((walk) => [walk.run, walk.normaliser]))
  return deriveCompleteScans({
    lastComplete(listing) {
      const walk = found.get(listing)
      return walk === undefined ? undefined : { run: walk.run, filter: walk.filter }
    },
    lastLifted: (after) => lastLifted.get(id, run + 1, after),
    normaliserOf: (number) => (normalisers.has(number) ? normalisers.get(number) : normaliser.get(number)) ?? undefined,
  })
}

export function findProject(db: Database, { service, uid }: Pick<ProjectRef, 'service' | 'uid'>): number | undefined {
  return cachedStatement<[string, string], number>(db, 'SELECT id FROM project WHERE service = ? AND uid = ?')
    .pluck()
    .get(service, uid)
}

/** A row that a foreign key promises. */
function must<Row>(db: Database, row: Row | undefined): Row {
  if (row === undefined) throw damaged(db.name, 'a scan belongs to a run that is missing')
  return row
}
