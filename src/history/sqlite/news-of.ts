import type { Database } from 'better-sqlite3'
import type { CoverageStatus } from '../../model/coverage.ts'
import type { JudgedProject } from '../../model/judging.ts'
import type { Listing } from '../../model/resource.ts'
import { type Before, type LookBefore, type Move, moveOf, type Span, type Tell } from '../news.ts'
import type { RunRecord } from '../records.ts'
import { prepared } from './prepared.ts'
import { writeMessages } from './sqlite-outbox.ts'

/** Writes what there is to tell of a run that is being sealed, or notes that the next look has to. */
export function tellNews(db: Database, record: RunRecord, tell: Tell | undefined): void {
  const projects = lookedAt(db, record.number)
  // Nobody to be told: then what they would be told of is not looked for.
  const messages = tell?.(record, readBefore(db, record, projects)) ?? []
  if (messages === 'later') {
    const note = prepared<unknown[], never>(db, 'INSERT INTO unnotified_scan (project_id, run) VALUES (?, ?)')
    for (const { id } of projects) note.run(id, record.number)
    return
  }
  writeMessages(db, messages, record.finishedAt)
  const told = prepared<unknown[], never>(db, 'DELETE FROM unnotified_scan WHERE project_id = ?')
  for (const { id } of projects) told.run(id)
}

interface LookedAt {
  readonly id: number
  readonly name: string
  /** The first run that nobody was told of. */
  readonly since: number
}

function lookedAt(db: Database, run: number): LookedAt[] {
  return prepared<{ run: number }, LookedAt>(
    db,
    `SELECT s.project_id AS id, s.name,
       ifnull((SELECT min(u.run) FROM unnotified_scan u WHERE u.project_id = s.project_id), @run) AS since
     FROM scan s WHERE s.run = @run ORDER BY s.project_id`,
  ).all({ run })
}

function readBefore(db: Database, { number: run }: RunRecord, projects: readonly LookedAt[]): Before {
  const last = prepared<[number], { policyDigest: string; toolVersion: string }>(
    db,
    `SELECT policy_digest AS policyDigest, tool_version AS toolVersion FROM run
     WHERE number < ? AND state IN ('committed', 'pruned') ORDER BY number DESC LIMIT 1`,
  ).get(run)
  return {
    isFirst: last === undefined,
    policyDigest: last?.policyDigest,
    toolVersion: last?.toolVersion,
    looks: readLooks(db, projects),
    moves: readMoves(db, run, projects),
  }
}

function readLooks(db: Database, projects: readonly LookedAt[]): ReadonlyMap<string, LookBefore> {
  const lastLook = prepared<[number, number], number | null>(
    db,
    'SELECT max(run) FROM scan WHERE project_id = ? AND run < ?',
  ).pluck()
  const walks = prepared<[number, number], { listing: Listing; status: CoverageStatus }>(
    db,
    'SELECT listing, status FROM walk WHERE project_id = ? AND run = ?',
  )
  const unjudged = unjudgedBy(db)
  const looks = new Map<string, LookBefore>()
  for (const { id, name, since } of projects) {
    const look = lastLook.get(id, since) ?? undefined
    if (look === undefined) continue
    const statuses = new Map(walks.all(id, look).map(({ listing, status }) => [listing, status]))
    looks.set(name, { statuses, unjudged: unjudged(look).get(name) ?? {} })
  }
  return looks
}

/** What rules could not judge in a run, by project. Read once for each run: many projects have their last look in it. */
function unjudgedBy(db: Database): (run: number) => ReadonlyMap<string, JudgedProject['unjudged']> {
  const document = prepared<[number], string>(
    db,
    'SELECT d.body FROM run r JOIN document d ON d.sha256 = r.projects_document WHERE r.number = ?',
  ).pluck()
  const known = new Map<number, ReadonlyMap<string, JudgedProject['unjudged']>>()
  return (run) => {
    // What we wrote ourselves.
    const projects = (): JudgedProject[] => JSON.parse(document.get(run) ?? '[]')
    const of = known.get(run) ?? new Map(projects().map(({ project, unjudged }) => [project, unjudged]))
    known.set(run, of)
    return of
  }
}

function readMoves(db: Database, run: number, projects: readonly LookedAt[]): Move[] {
  const first = Math.min(run, ...projects.map(({ since }) => since))
  const byId = new Map(projects.map((project) => [project.id, project]))
  // One question for all: a first run has a hundred thousand of them.
  const spans = prepared<{ first: number; run: number }, Span & { project: number }>(
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
    const looked = byId.get(own[0]?.project ?? 0)
    return looked === undefined ? [] : (moveOf(looked.name, own, { since: looked.since, run }) ?? [])
  })
}
