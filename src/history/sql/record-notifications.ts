import type { CoverageStatus } from '../../model/coverage.ts'
import { isSilent } from '../../model/gap.ts'
import type { WalkedListing } from '../../model/resource.ts'
import {
  type ComposeNotifications,
  changeBetween,
  type NotifiedSpan,
  type PreviousScan,
  type PriorState,
  transitionBetween,
  type ViolationChange,
  type ViolationTransition,
} from '../notification-facts.ts'
import type { OpenIncident } from '../outbox.ts'
import type { RunRecord } from '../records.ts'
import { writeMessages } from './outbox.ts'
import { readProjects } from './read-run.ts'
import { departedAt } from './scans.ts'
import type { Session, Transaction } from './session.ts'
import { ownerSql } from './violations.ts'

/** Writes the messages about a run that is being committed, or records that the next scan has to notify. */
export async function recordNotifications(
  transaction: Transaction,
  record: RunRecord,
  compose: ComposeNotifications | undefined,
): Promise<void> {
  const { number: run } = record
  // Without a composer the prior state is not read.
  const messages = compose?.(record, await readBefore(transaction, record)) ?? []
  if (messages === 'later') {
    await transaction.run(
      'INSERT INTO hookdrift.unnotified_scan (project_id, run) SELECT project_id, run FROM hookdrift.scan WHERE run = $1',
      [run],
    )
    return
  }
  await writeMessages(transaction, messages, record.finished_at)
  await transaction.run(
    `DELETE FROM hookdrift.unnotified_scan
     WHERE project_id IN (SELECT project_id FROM hookdrift.scan WHERE run = $1)`,
    [run],
  )
}

interface ScannedProject {
  readonly id: number
  readonly name: string
  /** The first run without a notification. */
  readonly since: number
  /** The last scan before that run, and the name that the project had then. */
  readonly previous: number | null
  readonly previousName: string | null
}

/** SQL of the projects that run $1 scanned. */
const scannedSql = `SELECT u.id, u.name, u.since,
    (SELECT max(l.run) FROM hookdrift.scan l WHERE l.project_id = u.id AND l.run < u.since) AS previous
  FROM (SELECT s.project_id AS id, s.name, coalesce((SELECT min(n.run) FROM hookdrift.unnotified_scan n
      WHERE n.project_id = s.project_id), s.run) AS since
    FROM hookdrift.scan s WHERE s.run = $1) u`

/** SQL of the channels of which no message was given up after the last one that arrived. */
const informedSql = `SELECT c.name FROM hookdrift.channel c WHERE NOT EXISTS (SELECT 1 FROM hookdrift.notification n
    WHERE n.channel = c.name AND n.state = 'dead' AND n.number > coalesce((SELECT max(d.number)
      FROM hookdrift.notification d WHERE d.channel = c.name AND d.state = 'delivered'), 0))
  ORDER BY c.name`

async function readBefore(session: Session, record: RunRecord): Promise<PriorState> {
  const { number: run } = record
  const projects = await session.all<ScannedProject>(
    `SELECT p.id, p.name, p.since, p.previous, l.name AS "previousName"
     FROM (${scannedSql}) p LEFT JOIN hookdrift.scan l ON l.run = p.previous AND l.project_id = p.id ORDER BY p.id`,
    [run],
  )
  const last = await session.get<{ policyDigest: string; toolVersion: string }>(
    `SELECT policy_digest AS "policyDigest", tool_version AS "toolVersion" FROM hookdrift.run
     WHERE number < $1 AND state IN ('committed', 'pruned') ORDER BY number DESC LIMIT 1`,
    [run],
  )
  const { transitions, changes } = await readTransitions(session, run, projects)
  const incidents = await readIncidents(session)
  return {
    isFirst: last === undefined,
    policyDigest: last?.policyDigest,
    toolVersion: last?.toolVersion,
    scans: await readPreviousScans(session, record, projects),
    transitions,
    changes,
    channels: await session.column(informedSql),
    incidents,
    departed: incidents.length === 0 ? [] : await departedAt(session, run),
  }
}

async function readIncidents(session: Session): Promise<OpenIncident[]> {
  const rows = await session.all<{ channel: string; key: string; subjects: string }>(
    "SELECT channel, key, subjects FROM hookdrift.incident WHERE subjects <> '[]' ORDER BY channel, key",
  )
  const incidents = rows.map((row) => ({ ...row, subjects: JSON.parse(row.subjects) as readonly string[] }))
  const active = await session.all<{ fingerprint: string; state: 'open' | 'unknown' | 'waived' }>(
    'SELECT fingerprint, state FROM hookdrift.violation WHERE fingerprint = ANY($1) AND to_run IS NULL',
    [incidents.flatMap(({ subjects }) => subjects)],
  )
  const stateOf = new Map(active.map(({ fingerprint, state }) => [fingerprint, state]))
  return incidents.map(({ subjects, ...incident }) => {
    return { ...incident, subjects: subjects.map((subject) => ({ subject, state: stateOf.get(subject) ?? null })) }
  })
}

async function readPreviousScans(
  session: Session,
  { number: run, coverage }: RunRecord,
  projects: readonly ScannedProject[],
): Promise<ReadonlyMap<string, PreviousScan>> {
  const walks = await session.all<{ project: number; listing: WalkedListing; status: CoverageStatus }>(
    `SELECT w.project_id AS project, w.listing, w.status FROM (${scannedSql}) p CROSS JOIN hookdrift.walk w
     WHERE w.run = p.previous AND w.project_id = p.id`,
    [run],
  )
  const walksOf = Map.groupBy(walks, ({ project }) => project)
  const scanned = projects.flatMap(({ id, name, previous, previousName }) =>
    previous === null || previousName === null ? [] : [{ id, name, previousName, scan: previous }],
  )
  const silent = await readSilentRules(
    session,
    scanned.map(({ scan }) => scan),
  )
  const statusesOf = new Map(
    scanned.map(({ id, name }) => [name, new Map(walksOf.get(id)?.map(({ listing, status }) => [listing, status]))]),
  )
  const unknown = coverage.filter(({ project, listing }) => statusesOf.get(project)?.has(listing) === false)
  for (const [listing, ofListing] of Map.groupBy(unknown, ({ listing }) => listing)) {
    const names = new Set(ofListing.map(({ project }) => project))
    const ids = scanned.filter(({ name }) => names.has(name)).map(({ id }) => id)
    for (const { name, status } of await readEarlierWalks(session, run, { listing, ids })) {
      statusesOf.get(name)?.set(listing, status)
    }
  }
  return new Map(
    scanned.map(({ name, previousName, scan }) => {
      const statuses = statusesOf.get(name) ?? new Map<WalkedListing, CoverageStatus>()
      return [name, { name: previousName, statuses, silent: silent.get(scan)?.get(previousName) ?? new Set() }]
    }),
  )
}

/** The last walks of a listing that the previous scans of projects left out: the configuration had it off then. */
function readEarlierWalks(
  session: Session,
  run: number,
  { listing, ids }: { readonly listing: WalkedListing; readonly ids: readonly number[] },
): Promise<{ readonly name: string; readonly status: CoverageStatus }[]> {
  return session.all(
    `SELECT e.name, e.status FROM (SELECT p.name, (SELECT w.status FROM hookdrift.scan l
         JOIN hookdrift.walk w ON w.run = l.run AND w.project_id = l.project_id AND w.listing = $2
         WHERE l.project_id = p.id AND l.run < p.previous ORDER BY l.run DESC LIMIT 1) AS status
       FROM (${scannedSql}) p WHERE p.id = ANY($3)) e WHERE e.status IS NOT NULL`,
    [run, listing, ids],
  )
}

/** Rules that evaluated nothing of a project, by run and project. Each run is read once: many projects have their last scan in it. */
async function readSilentRules(
  session: Session,
  runs: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, ReadonlySet<string>>>> {
  const evaluations = await readProjects(session, [...new Set(runs)])
  const byRun = [...Map.groupBy(evaluations, ({ run }) => run)]
  return new Map(
    byRun.map(([run, ofRun]) => [
      run,
      new Map(
        ofRun.map(({ evaluation: { project, gaps } }) => [
          project,
          new Set(gaps.filter(isSilent).flatMap(({ rule }) => rule ?? [])),
        ]),
      ),
    ]),
  )
}

async function readTransitions(
  session: Session,
  run: number,
  projects: readonly ScannedProject[],
): Promise<Pick<PriorState, 'transitions' | 'changes'>> {
  const first = Math.min(run, ...projects.map(({ since }) => since))
  const byId = new Map(projects.map((project) => [project.id, project]))
  // One query for all: a first run has a hundred thousand violations.
  const spans = await session.all<NotifiedSpan & { project: number }>(
    `WITH touched AS (
       SELECT fingerprint FROM hookdrift.violation WHERE from_run BETWEEN $1 AND $2
       UNION SELECT fingerprint FROM hookdrift.violation WHERE to_run BETWEEN $1 AND $2)
     SELECT x.project_id AS project, x.fingerprint, x.rule, x.severity, x.kind, x.uid, x.name, x.path, x.message,
       x.state, x.waiver, x.from_run AS "fromRun", x.to_run AS "toRun", x.resolution, x.ended_by,
       ${ownerSql('CASE WHEN x.to_run <= $2 THEN x.to_run - 1 ELSE $2 END')} AS owner
     FROM touched t CROSS JOIN hookdrift.violation x WHERE x.fingerprint = t.fingerprint ORDER BY x.id`,
    [first, run],
  )
  const byViolation = Map.groupBy(spans, ({ fingerprint }) => fingerprint)
  const transitions: ViolationTransition[] = []
  const changes: ViolationChange[] = []
  for (const eventsOfViolation of byViolation.values()) {
    const scanned = byId.get(eventsOfViolation[0]?.project ?? 0)
    if (scanned === undefined) continue
    const transition = transitionBetween(scanned.name, eventsOfViolation, { since: scanned.since, run })
    const change = changeBetween(scanned.name, eventsOfViolation, { since: scanned.since, run })
    if (transition !== undefined) transitions.push(transition)
    if (change !== undefined) changes.push(change)
  }
  return { transitions, changes }
}
