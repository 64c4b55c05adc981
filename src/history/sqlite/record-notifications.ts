import type { Database } from 'better-sqlite3'
import type { CoverageStatus } from '../../model/coverage.ts'
import type { ProjectEvaluation } from '../../model/evaluation.ts'
import type { Listing } from '../../model/resource.ts'
import {
  type ComposeNotifications,
  type NotifiedSpan,
  type PreviousScan,
  type PriorState,
  transitionBetween,
  type ViolationTransition,
} from '../notification-facts.ts'
import type { RunRecord } from '../records.ts'
import { cachedStatement } from './cached-statement.ts'
import { writeMessages } from './sqlite-outbox.ts'

/** Writes what there is to tell of a run that is being sealed, or notes that the next look has to. */
export function recordNotifications(db: Database, record: RunRecord, tell: ComposeNotifications | undefined): void {
  const projects = scanned(db, record.number)
  // Nobody to be told: then what they would be told of is not looked for.
  const messages = tell?.(record, readBefore(db, record, projects)) ?? []
  if (messages === 'later') {
    const note = cachedStatement<unknown[], never>(db, 'INSERT INTO unnotified_scan (project_id, run) VALUES (?, ?)')
    for (const { id } of projects) note.run(id, record.number)
    return
  }
  writeMessages(db, messages, record.finishedAt)
  const told = cachedStatement<unknown[], never>(db, 'DELETE FROM unnotified_scan WHERE project_id = ?')
  for (const { id } of projects) told.run(id)
}

interface ScannedProject {
  readonly id: number
  readonly name: string
  /** The first run that nobody was told of. */
  readonly since: number
}

function scanned(db: Database, run: number): ScannedProject[] {
  return cachedStatement<{ run: number }, ScannedProject>(
    db,
    `SELECT s.project_id AS id, s.name,
       ifnull((SELECT min(u.run) FROM unnotified_scan u WHERE u.project_id = s.project_id), @run) AS since
     FROM scan s WHERE s.run = @run ORDER BY s.project_id`,
  ).all({ run })
}

function readBefore(db: Database, { number: run }: RunRecord, projects: readonly ScannedProject[]): PriorState {
  const last = cachedStatement<[number], { policyDigest: string; toolVersion: string }>(
    db,
    `SELECT policy_digest AS policyDigest, tool_version AS toolVersion FROM run
     WHERE number < ? AND state IN ('committed', 'pruned') ORDER BY number DESC LIMIT 1`,
  ).get(run)
  return {
    isFirst: last === undefined,
    policyDigest: last?.policyDigest,
    toolVersion: last?.toolVersion,
    scans: readPreviousScans(db, projects),
    transitions: readMoves(db, run, projects),
  }
}

function readPreviousScans(db: Database, projects: readonly ScannedProject[]): ReadonlyMap<string, PreviousScan> {
  const lastScan = cachedStatement<[number, number], number | null>(
    db,
    'SELECT max(run) FROM scan WHERE project_id = ? AND run < ?',
  ).pluck()
  const walks = cachedStatement<[number, number], { listing: Listing; status: CoverageStatus }>(
    db,
    'SELECT listing, status FROM walk WHERE project_id = ? AND run = ?',
  )
  const unjudged = unjudgedBy(db)
  const scans = new Map<string, PreviousScan>()
  for (const { id, name, since } of projects) {
    const scan = lastScan.get(id, since) ?? undefined
    if (scan === undefined) continue
    const statuses = new Map(walks.all(id, scan).map(({ listing, status }) => [listing, status]))
    scans.set(name, { statuses, unjudged: unjudged(scan).get(name) ?? {} })
  }
  return scans
}

/** What rules could not judge in a run, by project. Read once for each run: many projects have their last look in it. */
function unjudgedBy(db: Database): (run: number) => ReadonlyMap<string, ProjectEvaluation['unjudged']> {
  const document = cachedStatement<[number], string>(
    db,
    'SELECT d.body FROM run r JOIN document d ON d.sha256 = r.projects_document WHERE r.number = ?',
  ).pluck()
  const known = new Map<number, ReadonlyMap<string, ProjectEvaluation['unjudged']>>()
  return (run) => {
    // What we wrote ourselves.
    const projects = (): ProjectEvaluation[] => JSON.parse(document.get(run) ?? '[]')
    const of = known.get(run) ?? new Map(projects().map(({ project, unjudged }) => [project, unjudged]))
    known.set(run, of)
    return of
  }
}

function readMoves(db: Database, run: number, projects: readonly ScannedProject[]): ViolationTransition[] {
  const first = Math.min(run, ...projects.map(({ since }) => since))
  const byId = new Map(projects.map((project) => [project.id, project]))
  // One question for all: a first run has a hundred thousand of them.
  const spans = cachedStatement<{ first: number; run: number }, NotifiedSpan & { project: number }>(
    db,
    `WITH touched AS (
       SELECT fingerprint FROM violation WHERE from_run BETWEEN @first AND @run
       UNION SELECT fingerprint FROM violation WHERE to_run BETWEEN @first AND @run)
     SELECT v.project_id AS project, v.fingerprint, v.rule, v.severity, v.kind, v.uid, v.name, v.path, v.message, v.state,
            v.from_run AS fromRun, v.to_run AS toRun
     FROM touched t CROSS JOIN violation v ON v.fingerprint = t.fingerprint ORDER BY v.id`,
  )
  const byViolation = Map.groupBy(spans.all({ first, run }), ({ fingerprint }) => fingerprint)
  return [...byViolation.values()].flatMap((own) => {
    const scanned = byId.get(own[0]?.project ?? 0)
    return scanned === undefined ? [] : (transitionBetween(scanned.name, own, { since: scanned.since, run }) ?? [])
  })
}
