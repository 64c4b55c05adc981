import type { Coverage } from '../../model/coverage.ts'
import {
  isPolicyProject,
  type Listing,
  listings,
  type ProjectRef,
  projectKey,
  type WalkedListing,
} from '../../model/resource.ts'
import type { RunScope } from '../../model/run-scope.ts'
import { fingerprintOf } from '../../model/violation.ts'
import { vanishedRule } from '../acceptances.ts'
import type { HistoryReader } from '../reader.ts'
import type { CompleteScan, CompleteScans, RecordedViolation } from '../records.ts'
import { compareText } from '../report-order.ts'
import { lastScanSql, projectIdSql } from './fragments.ts'
import { type CommittedRun, lastRun } from './runs.ts'
import type { Session } from './session.ts'

export interface RecordedScan {
  /** With its name at that time. */
  readonly project: ProjectRef
  readonly run: CommittedRun
  readonly coverage: readonly Coverage[]
  /** The first scan after the last complete one; undefined when the last scan was complete. */
  readonly incompleteSince: CommittedRun | undefined
  /** Whether a person accepted that the project vanished, and this scan recorded that: no list needs to have it. */
  readonly isGone: boolean
  /** The same of a project that the run, as of which this is read, was no longer to scan. */
  readonly hasDeparted: boolean
}

/** A project's row and its last scan as of a run. */
export interface ScanRow extends ProjectRef {
  readonly id: number
  readonly run: number
}

/** Every project that was scanned by a run, with its name as of its last scan then. */
export async function lastScansAt(session: Session, run: number): Promise<ScanRow[]> {
  const rows = await session.all<ScanRow>(lastScanSql('$1'), [run])
  return rows.sort((a, b) => compareText(a.name, b.name))
}

/**
 * What people signed about projects, each with the name that the project has as of the last committed run; with the one
 * that was given, where that knows none.
 */
export function underCurrentNames<Signed extends { readonly project: ProjectRef }>(
  history: HistoryReader,
  read: (session: Session) => Promise<readonly Signed[]>,
): Promise<readonly Signed[]> {
  return history.snapshot(async (session) => {
    const last = await lastRun(session)
    const scans = last === undefined ? [] : await lastScansAt(session, last.number)
    const names = new Map(scans.map((project) => [projectKey(project), project.name]))
    return (await read(session)).map((signed) => {
      return {
        ...signed,
        project: { ...signed.project, name: names.get(projectKey(signed.project)) ?? signed.project.name },
      }
    })
  })
}

interface DatedScanRow extends ProjectRef, CommittedRun {
  readonly id: number
  readonly incompleteRun: number | null
  readonly incompleteStart: string
  readonly incompleteEnd: string
  readonly departures: number
}

/** SQL for the run of the last complete scan of a project by a run; NULL without one. */
export function lastCompleteScanSql(project: string, run: string): string {
  return `(SELECT c.run FROM hookdrift.scan c WHERE c.project_id = ${project} AND c.run <= ${run}
    AND NOT EXISTS (SELECT 1 FROM hookdrift.walk o WHERE o.project_id = c.project_id AND o.run = c.run
      AND o.status NOT IN ('complete', 'skipped'))
    ORDER BY c.run DESC LIMIT 1)`
}

/** SQL for the run of the first scan after it, by the same run; NULL where the last scan is complete. */
export function incompleteSinceSql(project: string, run: string): string {
  return `(SELECT min(n.run) FROM hookdrift.scan n WHERE n.project_id = ${project} AND n.run <= ${run}
    AND n.run > coalesce(${lastCompleteScanSql(project, run)}, 0))`
}

/** SQL for how many acceptances in force say that a project is gone, and were recorded by its last scan or before. */
const departuresSql = `(SELECT count(*) FROM hookdrift.acceptance a WHERE a.project_id = l.id AND a.rule = '${vanishedRule}'
    AND a.accepted_in <= l.run AND a.revoked_at IS NULL AND a.ended_at IS NULL)`

/** The last scan of each project, and the first one after its last complete one. */
const datedScansSql = `SELECT l.id, l.name, l.service, l.uid, r.number, r.started_at,
    r.finished_at, i.number AS "incompleteRun", i.started_at AS "incompleteStart",
    i.finished_at AS "incompleteEnd", ${departuresSql} AS departures
  FROM (SELECT t.*, ${incompleteSinceSql('t.id', 't.run')} AS incomplete FROM (${lastScanSql('$1')}) t) l
  JOIN hookdrift.run r ON r.number = l.run LEFT JOIN hookdrift.run i ON i.number = l.incomplete`

/**
 * The last scan of every project of a service as of a run, sorted by project name, the newest first of those that have one
 * name; `only`: of that project.
 */
export function readLatestScans(
  history: HistoryReader,
  run: number,
  only?: ProjectRef,
): Promise<readonly RecordedScan[]> {
  return history.snapshot((session) => latestScansAt(session, run, only))
}

/** How many committed runs, from one number to another, scanned each project; by `projectKey`. */
export function countScans(history: HistoryReader, first: number, last: number): Promise<ReadonlyMap<string, number>> {
  return history.ask(async (session) => {
    const rows = await session.all<Pick<ProjectRef, 'service' | 'uid'> & { readonly scans: number }>(
      `SELECT p.service, p.uid, (SELECT count(*) FROM hookdrift.scan s
         JOIN hookdrift.run r ON r.number = s.run AND r.state = 'committed'
         WHERE s.project_id = p.id AND s.run BETWEEN $1 AND $2) AS scans FROM hookdrift.project p`,
      [first, last],
    )
    return new Map(rows.map(({ scans, ...project }) => [projectKey(project), scans]))
  })
}

/** Without projects whose name another one has since. `scans`: as they are read. */
export function leaveOutRenamed(scans: readonly RecordedScan[]): readonly RecordedScan[] {
  return scans.filter(({ project }, at) => scans[at - 1]?.project.name !== project.name)
}

/**
 * Finds the project of a violation, which names it; projects may have had one name, one after the other. `scans`: the last
 * of each project.
 */
export function projectFinder(
  scans: readonly Pick<RecordedScan, 'project'>[],
): (
  violation: Pick<RecordedViolation, 'project' | 'rule' | 'kind' | 'uid' | 'path' | 'fingerprint'>,
) => ProjectRef | undefined {
  const byName = Map.groupBy(
    scans.map(({ project }) => project),
    ({ name }) => name,
  )
  return (violation) => {
    const [project, ...others] = byName.get(violation.project) ?? []
    if (project === undefined || others.length === 0) return project
    return [project, ...others].find((one) => fingerprintOf(one, violation) === violation.fingerprint)
  }
}

/** The same, asked of a database. */
export async function latestScansAt(session: Session, run: number, only?: ProjectRef): Promise<RecordedScan[]> {
  const rows =
    only === undefined
      ? await session.all<DatedScanRow>(datedScansSql, [run])
      : await session.all<DatedScanRow>(`${datedScansSql} WHERE l.service = $2 AND l.uid = $3`, [
          ...[run, only.service, only.uid],
        ])
  const scans = rows
    .filter((project) => !isPolicyProject(project))
    .sort((a, b) => compareText(a.name, b.name) || b.number - a.number)
  const walks = await session.all<StoredWalk & { readonly projectId: number }>(
    `SELECT w.project_id AS "projectId", w.listing, w.status, w.filter, w.cause, w.reason, w.pages, w.items, w.requests,
       w.retries, w.duration_ms, w.total AS "of", w.oldest_at
     FROM (${lastScanSql('$1')}) l JOIN hookdrift.walk w ON w.run = l.run AND w.project_id = l.id
     WHERE l.id = ANY($2)`,
    [run, scans.map(({ id }) => id)],
  )
  const walksOf = Map.groupBy(walks, ({ projectId }) => projectId)
  const unscanned = scans.some(({ departures }) => departures > 0) ? await readUnscanned(session, run) : []
  return scans.map((scan) => ({
    project: { name: scan.name, service: scan.service, uid: scan.uid },
    run: { number: scan.number, started_at: scan.started_at, finished_at: scan.finished_at },
    coverage: (walksOf.get(scan.id) ?? [])
      .map(({ projectId: _, ...walk }) => coverageOfWalk(walk))
      .sort(inListingOrder),
    incompleteSince:
      scan.incompleteRun === null
        ? undefined
        : { number: scan.incompleteRun, started_at: scan.incompleteStart, finished_at: scan.incompleteEnd },
    isGone: scan.departures > 0,
    hasDeparted: scan.departures > 0 && scan.number < run && unscanned !== undefined && !unscanned.includes(scan.name),
  }))
}

/** The names of the projects that left the fleet, as of a run. */
export async function departedAt(session: Session, run: number): Promise<readonly string[]> {
  const gone = await session.column<string>(
    `SELECT l.name FROM (${lastScanSql('$1')}) l WHERE l.run < $1 AND ${departuresSql} > 0 ORDER BY l.name`,
    [run],
  )
  const unscanned = gone.length === 0 ? [] : await readUnscanned(session, run)
  return unscanned === undefined ? [] : gone.filter((name) => !unscanned.includes(name))
}

/** The names of known projects that a run was not to scan; undefined where the run says nothing of it. */
async function readUnscanned(session: Session, run: number): Promise<RunScope['unscanned'] | undefined> {
  const body = await session.value<string>(
    `SELECT d.body FROM hookdrift.document d JOIN hookdrift.run r ON r.rules_document = d.sha256 WHERE r.number = $1`,
    [run],
  )
  // Hookdrift wrote it.
  const { scope }: { readonly scope?: RunScope } = JSON.parse(body ?? '{}')
  return scope?.unscanned
}

/** A walk as its row holds it. */
export interface StoredWalk extends Omit<Coverage, 'of' | 'oldest_at'> {
  readonly of: number | null
  readonly oldest_at: string | null
}

/** Only filters have a total. */
export function coverageOfWalk<Walk extends StoredWalk>({ of, oldest_at, ...walk }: Walk) {
  return of === null ? walk : { ...walk, of, oldest_at }
}

/** In the order of walking. */
export function inListingOrder(a: Pick<Coverage, 'listing'>, b: Pick<Coverage, 'listing'>): number {
  return walked.indexOf(a.listing) - walked.indexOf(b.listing)
}

const walked: readonly WalkedListing[] = ['projects', ...listings, 'filters']

/** The last complete walk of each listing of a project by a run. */
const completeSql = `SELECT w.listing, w.run, w.filter, r.normal_form_version AS normaliser FROM (
    SELECT f.project_id, f.listing, (SELECT s.run FROM hookdrift.scan s CROSS JOIN hookdrift.walk o
      WHERE s.project_id = f.project_id AND s.run BETWEEN f.run AND $3
        AND o.run = s.run AND o.project_id = s.project_id AND o.listing = f.listing AND o.status = 'complete'
      ORDER BY s.run DESC LIMIT 1) AS run
    FROM hookdrift.first_complete_walk f WHERE f.project_id = ${projectIdSql('$1', '$2')}) c
  JOIN hookdrift.walk w ON w.run = c.run AND w.project_id = c.project_id AND w.listing = c.listing
  JOIN hookdrift.run r ON r.number = w.run`

/** The last complete walk of the subscriptions by a run and after another, in a run that did not list sources. */
const liftedSql = `SELECT w.listing, w.run, w.filter, r.normal_form_version AS normaliser
  FROM hookdrift.scan s CROSS JOIN hookdrift.walk w CROSS JOIN hookdrift.run r
  WHERE s.project_id = ${projectIdSql('$1', '$2')} AND s.run <= $3 AND s.run > $4
    AND w.run = s.run AND w.project_id = s.project_id AND w.listing = 'subscriptions' AND w.status = 'complete'
    AND NOT EXISTS (SELECT 1 FROM hookdrift.walk n WHERE n.run = s.run AND n.project_id = s.project_id
      AND n.listing = 'sources' AND n.status <> 'skipped')
    AND r.number = w.run
  ORDER BY s.run DESC LIMIT 1`

/** The last complete scan of each kind of a project as of a run. */
export function readCompleteScans(history: HistoryReader, project: ProjectRef, run: number): Promise<CompleteScans> {
  return history.ask((session) => completeScansAt(session, project, run))
}

async function completeScansAt(session: Session, { service, uid }: ProjectRef, run: number): Promise<CompleteScans> {
  const complete = await session.all<CompleteScan>(completeSql, [service, uid, run])
  if (complete.length === 0) return {}
  const last = (listing: Listing) => complete.find((walk) => walk.listing === listing)
  const subscription = last('subscriptions')
  const listed = last('sources')
  // Where sources are not listed, they come embedded in subscriptions.
  const lifted = await session.get<CompleteScan>(liftedSql, [service, uid, run, listed?.run ?? 0])
  const scans = {
    project: last('project'),
    endpoint: last('endpoints'),
    subscription,
    source: lifted ?? listed,
    event_type: last('event_types'),
    device: subscription,
  }
  return Object.fromEntries(Object.entries(scans).filter(([, scan]) => scan !== undefined))
}
