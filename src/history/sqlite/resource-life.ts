import type { Database } from 'better-sqlite3'
import { type Kind, kinds } from '../../model/resource.ts'
import type { Identity, NamedIdentity, Referrer, VersionSpan, ViolationSpan } from '../reader.ts'
import { byKindAndUid, compareText } from '../report-order.ts'
import { toRecordedViolation } from '../stored-violation.ts'
import { cachedStatement } from './cached-statement.ts'
import { findProject, latestScanNumbers, nameAt } from './scans-at.ts'

/** Where a uid was ever seen: one index lookup for each project and kind. */
export function find(db: Database, uid: string, run: number): Identity[] {
  type Place = { id: number; kind: Kind; service: string; project: string }
  const places = cachedStatement<{ uid: string; run: number; kinds: string }, Place>(
    db,
    `SELECT p.id, p.service, p.uid AS project, k.value AS kind FROM json_each(@kinds) k CROSS JOIN project p
       WHERE EXISTS (SELECT 1 FROM version v WHERE v.project_id = p.id AND v.kind = k.value AND v.uid = @uid AND v.from_run <= @run)`,
  ).all({ uid, run, kinds: JSON.stringify(kinds) })
  return places
    .flatMap(({ id, kind, service, project }) => {
      const name = nameAt(db, id, run)
      return name === undefined ? [] : [{ project: { name, service, uid: project }, kind, uid }]
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || compareText(a.kind, b.kind))
}

/** Reads the names of all versions: a question of a person, asked when a uid was not found. */
export function search(db: Database, text: string, run: number): NamedIdentity[] {
  const rows = cachedStatement<{ text: string; run: number }, { id: number; kind: Kind; uid: string; name: string }>(
    db,
    `SELECT v.project_id AS id, v.kind, v.uid, v.name, max(v.from_run) FROM version v
       WHERE v.from_run <= @run AND (v.project_id, v.kind, v.uid) IN (
         SELECT x.project_id, x.kind, x.uid FROM version x
         WHERE x.from_run <= @run AND (x.name = @text OR substr(x.uid, 1, length(@text)) = @text))
       GROUP BY v.project_id, v.kind, v.uid`,
  ).all({ text, run })
  const projects = new Map(latestScanNumbers(db, run).map(({ id, run: _, ...project }) => [id, project]))
  return rows
    .flatMap(({ id, kind, uid, name }) => {
      const project = projects.get(id)
      return project === undefined ? [] : [{ project, kind, uid, name }]
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
}

/** As of a run, later ends are unknown. */
const ending = `CASE WHEN x.to_run <= @run THEN x.to_run END AS toRun,
  (SELECT started_at FROM run WHERE number = x.to_run AND number <= @run) AS 'to'`

export function versionsOf(db: Database, { project, kind, uid }: Identity, run: number): VersionSpan[] {
  const rows = cachedStatement<
    { project: number; kind: Kind; uid: string; run: number },
    Omit<VersionSpan, 'isAdded'> & { added: 0 | 1 }
  >(
    db,
    `SELECT x.name, x.from_run AS fromRun, r.started_at AS 'from', x.digest, x.body, r.seal_key_id AS sealKeyId,
         ${ending}, EXISTS (SELECT 1 FROM change c WHERE c.project_id = @project AND c.kind = @kind AND c.uid = @uid
           AND c.run = x.from_run AND c.change = 'added') AS added
       FROM version x CROSS JOIN run r ON r.number = x.from_run
       WHERE x.project_id = @project AND x.kind = @kind AND x.uid = @uid AND x.from_run <= @run ORDER BY x.from_run`,
  ).all({ project: findProject(db, project) ?? 0, kind, uid, run })
  return rows.map(({ added, ...row }) => ({ ...row, isAdded: added === 1 }))
}

export function violationsOf(db: Database, { project, kind, uid }: Identity, run: number): ViolationSpan[] {
  const rows = cachedStatement<
    { project: number; kind: Kind; uid: string; run: number },
    Omit<ViolationSpan, 'isContinued' | 'goesOn' | 'waiver' | 'endedBy' | 'originRun'> & {
      isContinued: 0 | 1
      goesOn: 0 | 1
      waiver: string | null
      endedBy: string | null
      originRun: number | null
    }
  >(
    db,
    `SELECT x.fingerprint, x.rule, x.severity, x.kind, x.uid, x.name, x.path, x.message, x.state, x.waiver,
         x.origin_run AS originRun,
         CASE WHEN x.to_run <= @run THEN x.resolution END AS resolution,
         CASE WHEN x.to_run <= @run THEN x.ended_by END AS endedBy,
         x.from_run AS fromRun, r.started_at AS 'from', ${ending}, x.replaces IS NOT NULL AS isContinued,
         EXISTS (SELECT 1 FROM violation y WHERE y.replaces = x.id AND y.from_run <= @run) AS goesOn
       FROM violation x CROSS JOIN run r ON r.number = x.from_run
       WHERE x.project_id = @project AND x.kind = @kind AND x.uid = @uid AND x.from_run <= @run
       ORDER BY x.from_run, x.id`,
  ).all({ project: findProject(db, project) ?? 0, kind, uid, run })
  return rows.map(({ originRun, ...row }) => ({
    ...toRecordedViolation(row),
    ...(originRun !== null && { originRun }),
    isContinued: row.isContinued === 1,
    goesOn: row.goesOn === 1,
  }))
}

/** Uses the indexes on what subscriptions refer to. */
export function referrersOf(db: Database, { project, kind, uid }: Identity, run: number): Referrer[] {
  const pointer = pointers[kind]
  if (pointer === undefined) return []
  return cachedStatement<{ project: number; uid: string; run: number }, Referrer>(
    db,
    `SELECT x.uid, x.name, x.from_run AS fromRun, r.started_at AS 'from', ${ending}
       FROM version x CROSS JOIN run r ON r.number = x.from_run
       WHERE x.project_id = @project AND x.kind = 'subscription' AND ${pointer} AND x.from_run <= @run`,
  )
    .all({ project: findProject(db, project) ?? 0, uid, run })
    .sort((a, b) => compareText(a.uid, b.uid) || a.fromRun - b.fromRun)
}

const pointers: Readonly<Partial<Record<Kind, string>>> = {
  endpoint: 'x.endpoint_uid = @uid',
  source: 'x.source_uid = @uid',
  device: 'x.device_uid = @uid',
}
