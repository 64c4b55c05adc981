import { type Kind, kinds, type ProjectRef } from '../../model/resource.ts'
import type { Identity, NamedIdentity, Referrer, VersionSpan, ViolationSpan } from '../reader.ts'
import { byKindAndUid, compareText } from '../report-order.ts'
import { toRecordedViolation } from '../stored-violation.ts'
import type { Session } from './connect.ts'
import { lastScanSql, projectIdSql } from './sql-fragments.ts'

interface PlaceRow {
  readonly kind: Kind
  readonly project: string
  readonly service: string
  readonly projectUid: string
}

/** Where a uid was ever seen: one index lookup for each project and kind. */
export async function find(session: Session, uid: string, run: number): Promise<Identity[]> {
  const places = await session.all<PlaceRow>(
    `SELECT k.kind, p.name AS project, p.service, p.uid AS "projectUid" FROM (${lastScanSql('$2')}) p
     CROSS JOIN unnest($3::text[]) AS k (kind)
     CROSS JOIN LATERAL (SELECT 1 FROM hookdrift.version v WHERE v.project_id = p.id AND v.kind = k.kind
       AND v.uid = $1::text AND v.from_run <= $2 LIMIT 1) v ORDER BY p.id`,
    [uid, run, kinds],
  )
  return places
    .map((place) => ({ project: projectOf(place), kind: place.kind, uid }))
    .sort((a, b) => compareText(a.project.name, b.project.name) || compareText(a.kind, b.kind))
}

/** Reads the names of all versions: a question of a person, asked when a uid was not found. */
export async function search(session: Session, text: string, run: number): Promise<NamedIdentity[]> {
  const rows = await session.all<PlaceRow & { uid: string; name: string }>(
    `SELECT n.kind, n.uid, n.name, p.name AS project, p.service, p.uid AS "projectUid" FROM (
       SELECT DISTINCT ON (v.project_id, v.kind, v.uid) v.project_id, v.kind, v.uid, v.name FROM hookdrift.version v
       WHERE v.from_run <= $2 AND (v.project_id, v.kind, v.uid) IN (
         SELECT x.project_id, x.kind, x.uid FROM hookdrift.version x
         WHERE x.from_run <= $2 AND (x.name = $1::text OR starts_with(x.uid, $1::text)))
       ORDER BY v.project_id, v.kind, v.uid, v.from_run DESC) n
     JOIN (${lastScanSql('$2')}) p ON p.id = n.project_id ORDER BY p.id`,
    [text, run],
  )
  return rows
    .map((row) => ({ project: projectOf(row), kind: row.kind, uid: row.uid, name: row.name }))
    .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
}

function projectOf({ project: name, service, projectUid: uid }: PlaceRow): ProjectRef {
  return { name, service, uid }
}

/** Resources as `x`: which one is asked for, as of which run. */
const ofResource = `x.project_id = ${projectIdSql('$1', '$2')} AND x.kind = $3 AND x.uid = $4::text
  AND x.from_run <= $5`
/** The runs that began and, as of a run, ended `x`. Later ends are unknown. */
const runsOf =
  'JOIN hookdrift.run r ON r.number = x.from_run LEFT JOIN hookdrift.run e ON e.number = x.to_run AND e.number <= $5'
const span = `x.from_run AS "fromRun", r.started_at AS "from", e.number AS "toRun", e.started_at AS "to"`

function valuesOf({ project, kind, uid }: Identity, run: number) {
  return [project.service, project.uid, kind, uid, run]
}

export async function versionsOf(session: Session, identity: Identity, run: number): Promise<VersionSpan[]> {
  return session.all<VersionSpan>(
    `SELECT x.name, ${span}, x.digest, x.body, r.seal_key_id AS "sealKeyId",
       EXISTS (SELECT 1 FROM hookdrift.change c WHERE c.project_id = x.project_id AND c.kind = x.kind
         AND c.uid = x.uid AND c.run = x.from_run AND c.change = 'added') AS "isAdded"
     FROM hookdrift.version x ${runsOf} WHERE ${ofResource} ORDER BY x.from_run`,
    valuesOf(identity, run),
  )
}

export async function violationsOf(session: Session, identity: Identity, run: number): Promise<ViolationSpan[]> {
  const rows = await session.all<
    Omit<ViolationSpan, 'waiver' | 'endedBy' | 'originRun'> &
      Readonly<{ waiver: string | null; endedBy: string | null; originRun: number | null }>
  >(
    `SELECT x.fingerprint, x.rule, x.severity, x.kind, x.uid, x.name, x.path, x.message, x.state, x.waiver,
       x.origin_run AS "originRun", CASE WHEN e.number IS NOT NULL THEN x.resolution END AS resolution,
       CASE WHEN e.number IS NOT NULL THEN x.ended_by END AS "endedBy", ${span},
       x.replaces IS NOT NULL AS "isContinued",
       EXISTS (SELECT 1 FROM hookdrift.violation y WHERE y.replaces = x.id AND y.from_run <= $5) AS "goesOn"
     FROM hookdrift.violation x ${runsOf} WHERE ${ofResource} ORDER BY x.from_run, x.id`,
    valuesOf(identity, run),
  )
  return rows.map(({ originRun, ...row }) => ({
    ...toRecordedViolation(row),
    ...(originRun !== null && { originRun }),
  }))
}

export async function referrersOf(session: Session, identity: Identity, run: number): Promise<Referrer[]> {
  const column = columns[identity.kind]
  if (column === undefined) return []
  const { project, uid } = identity
  const rows = await session.all<Referrer>(
    `SELECT x.uid, x.name, ${span} FROM hookdrift.version x ${runsOf}
     WHERE x.project_id = ${projectIdSql('$1', '$2')} AND x.kind = $3 AND ${column} = $4::text
       AND x.from_run <= $5`,
    valuesOf({ project, kind: 'subscription', uid }, run),
  )
  return rows.sort((a, b) => compareText(a.uid, b.uid) || a.fromRun - b.fromRun)
}

/** What subscriptions refer to, and an index on it. */
const columns: Readonly<Partial<Record<Kind, string>>> = {
  endpoint: 'x.endpoint_uid',
  source: 'x.source_uid',
  device: 'x.device_uid',
}
