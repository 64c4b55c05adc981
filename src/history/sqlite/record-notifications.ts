import type { Database } from 'better-sqlite3'
import type { CoverageStatus } from '../../model/coverage.ts'
import type { ProjectEvaluation } from '../../model/evaluation.ts'
import type { WalkedListing } from '../../model/resource.ts'
import {
  type ComposeNotifications,
  type NotifiedSpan,
  type PreviousScan,
  type PriorState,
  transitionBetween,
  type ViolationTransition,
} from '../notification-facts.ts'
import type { OpenIncident } from '../outbox.ts'
import { readProjects } from '../read-documents.ts'
import type { RunRecord } from '../records.ts'
import { cachedStatement } from './cached-statement.ts'
import { ownerSql } from './owner-sql.ts'
import { writeMessages } from './sqlite-outbox.ts'

/** Writes the messages about a run that is being committed, or records that the next scan has to notify. */
export function recordNotifications(db: Database, record: RunRecord, compose: ComposeNotifications | undefined): void {
  const projects = readScannedProjects(db, record.number)
  // Without a composer the prior state is not read.
  const messages = compose?.(record, readBefore(db, record, projects)) ?? []
  if (messages === 'later') {
    const note = cachedStatement<unknown[], never>(db, 'INSERT INTO unnotified_scan (project_id, run) VALUES (?, ?)')
    for (const { id } of projects) note.run(id, record.number)
    return
  }
  writeMessages(db, messages, record.finishedAt)
  const remove = cachedStatement<unknown[], never>(db, 'DELETE FROM unnotified_scan WHERE project_id = ?')
  for (const { id } of projects) remove.run(id)
}

interface ScannedProject {
  readonly id: number
  readonly name: string
  /** The first run without a notification. */
  readonly since: number
}

function readScannedProjects(db: Database, run: number): ScannedProject[] {
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
    transitions: readTransitions(db, run, projects),
    channels: cachedStatement<[], string>(db, 'SELECT name FROM channel ORDER BY name').pluck().all(),
    incidents: readIncidents(db),
  }
}

function readIncidents(db: Database): OpenIncident[] {
  return cachedStatement<[], Omit<OpenIncident, 'isActive'> & { isActive: number }>(
    db,
    `SELECT i.channel, i.key, i.subject, EXISTS (SELECT 1 FROM violation v
       WHERE v.fingerprint = i.subject AND v.to_run IS NULL AND v.state <> 'waived') AS isActive
     FROM incident i ORDER BY i.channel, i.key, i.subject`,
  )
    .all()
    .map(({ isActive, ...incident }) => ({ ...incident, isActive: isActive === 1 }))
}

function readPreviousScans(db: Database, projects: readonly ScannedProject[]): ReadonlyMap<string, PreviousScan> {
  const lastScan = cachedStatement<[number, number], number | null>(
    db,
    'SELECT max(run) FROM scan WHERE project_id = ? AND run < ?',
  ).pluck()
  const walks = cachedStatement<[number, number], { listing: WalkedListing; status: CoverageStatus }>(
    db,
    'SELECT listing, status FROM walk WHERE project_id = ? AND run = ?',
  )
  const notEvaluatedIn = notEvaluatedReader(db)
  const scans = new Map<string, PreviousScan>()
  for (const { id, name, since } of projects) {
    const scan = lastScan.get(id, since) ?? undefined
    if (scan === undefined) continue
    const statuses = new Map(walks.all(id, scan).map(({ listing, status }) => [listing, status]))
    scans.set(name, { statuses, notEvaluated: notEvaluatedIn(scan).get(name) ?? {} })
  }
  return scans
}

/** Rules that a run could not evaluate, by project. Each run is read once: many projects have their last scan in it. */
function notEvaluatedReader(db: Database): (run: number) => ReadonlyMap<string, ProjectEvaluation['notEvaluated']> {
  const document = cachedStatement<[number], string>(
    db,
    'SELECT d.body FROM run r JOIN document d ON d.sha256 = r.projects_document WHERE r.number = ?',
  ).pluck()
  const known = new Map<number, ReadonlyMap<string, ProjectEvaluation['notEvaluated']>>()
  return (run) => {
    const projects = () => readProjects(document.get(run) ?? null)
    const of = known.get(run) ?? new Map(projects().map(({ project, notEvaluated }) => [project, notEvaluated]))
    known.set(run, of)
    return of
  }
}

function readTransitions(db: Database, run: number, projects: readonly ScannedProject[]): ViolationTransition[] {
  const first = Math.min(run, ...projects.map(({ since }) => since))
  const byId = new Map(projects.map((project) => [project.id, project]))
  // One query for all: a first run has a hundred thousand violations.
  const spans = cachedStatement<{ first: number; run: number }, NotifiedSpan & { project: number }>(
    db,
    `WITH touched AS (
       SELECT fingerprint FROM violation WHERE from_run BETWEEN @first AND @run
       UNION SELECT fingerprint FROM violation WHERE to_run BETWEEN @first AND @run)
     SELECT x.project_id AS project, x.fingerprint, x.rule, x.severity, x.kind, x.uid, x.name, x.path, x.message, x.state,
            x.from_run AS fromRun, x.to_run AS toRun, x.resolution,
            x.ended_by AS endedBy,
            ${ownerSql('iif(x.to_run IS NULL OR x.to_run > @run, @run, x.to_run - 1)')} AS owner
     FROM touched t CROSS JOIN violation x ON x.fingerprint = t.fingerprint ORDER BY x.id`,
  )
  const found = spans
    .all({ first, run })
    .map((row) => ({ ...row, owner: typeof row.owner === 'string' ? row.owner : null }))
  const byViolation = Map.groupBy(found, ({ fingerprint }) => fingerprint)
  return [...byViolation.values()].flatMap((own) => {
    const scanned = byId.get(own[0]?.project ?? 0)
    return scanned === undefined ? [] : (transitionBetween(scanned.name, own, { since: scanned.since, run }) ?? [])
  })
}
