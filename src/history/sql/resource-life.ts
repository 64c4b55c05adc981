import { type Kind, kinds } from '../../model/resource.ts'
import type { Identity, NamedIdentity, Referrer, VersionSpan, ViolationSpan } from '../reader.ts'
import { byKindAndUid, compareText } from '../report-order.ts'
import { toRecordedViolation } from '../stored-violation.ts'
import { isLastSql, lastScanSql, projectIdSql } from './fragments.ts'
import { lastScansAt } from './scans.ts'
import type { Session } from './session.ts'

interface PlaceRow {
  readonly kind: Kind
  readonly project: string
  readonly service: string
  readonly projectUid: string
}

/** Where a uid was ever seen: one index lookup for each project and kind. */
export async function find(session: Session, uid: string, run: number): Promise<Identity[]> {
  const places = await session.all<PlaceRow>(
    `SELECT DISTINCT v.kind, l.name AS project, l.service, l.uid AS "projectUid"
     FROM (${lastScanSql('$2')}) l CROSS JOIN hookdrift.version v
     WHERE v.project_id = l.id AND v.kind = ANY($3) AND v.uid = $1 AND v.from_run <= $2`,
    [uid, run, kinds],
  )
  return places
    .map(({ project: name, service, projectUid, kind }) => ({ project: { name, service, uid: projectUid }, kind, uid }))
    .sort((a, b) => compareText(a.project.name, b.project.name) || compareText(a.kind, b.kind))
}

/** Reads the names of all versions, in a snapshot: a question of a person, asked when a uid was not found. */
export async function search(session: Session, text: string, run: number): Promise<NamedIdentity[]> {
  const projects = new Map(
    (await lastScansAt(session, run)).map(({ id, name, service, uid }) => [id, { name, service, uid }]),
  )
  const rows = await session.all<{ projectId: number; kind: Kind; uid: string; name: string }>(
    `SELECT v.project_id AS "projectId", v.kind, v.uid, v.name FROM hookdrift.version v
     WHERE ${isLastSql('v', '$2')} AND (v.project_id, v.kind, v.uid) IN (
       SELECT x.project_id, x.kind, x.uid FROM hookdrift.version x
       WHERE x.from_run <= $2 AND (x.name = $1 OR substr(x.uid, 1, length($1)) = $1))`,
    [text, run],
  )
  return rows
    .flatMap(({ projectId, ...row }) => {
      const project = projects.get(projectId)
      return project === undefined ? [] : [{ project, ...row }]
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
}

/**
 * SQL of rows `x` of a resource, with the runs that began them and, as of the run that is asked for, ended them: later
 * ends are unknown.
 */
function spansSql(table: 'version' | 'violation', columns: string, ofResource = 'x.kind = $3 AND x.uid = $4'): string {
  return `SELECT ${columns}, x.from_run AS "fromRun", r.started_at AS "from", e.number AS "toRun", e.started_at AS "to"
    FROM hookdrift.${table} x CROSS JOIN hookdrift.run r
      LEFT JOIN hookdrift.run e ON e.number = x.to_run AND e.number <= $5
    WHERE x.project_id = ${projectIdSql('$1', '$2')} AND ${ofResource} AND x.from_run <= $5 AND r.number = x.from_run`
}

function valuesOf({ project, kind, uid }: Identity, run: number) {
  return [project.service, project.uid, kind, uid, run]
}

export async function versionsOf(session: Session, identity: Identity, run: number): Promise<VersionSpan[]> {
  const columns = `x.name, x.digest, x.body, r.seal_key_id AS "sealKeyId",
    (SELECT count(*) FROM hookdrift.change c WHERE c.project_id = x.project_id AND c.kind = x.kind AND c.uid = x.uid
      AND c.run = x.from_run AND c.change = 'added') AS added`
  const rows = await session.all<Omit<VersionSpan, 'isAdded'> & { readonly added: number }>(
    `${spansSql('version', columns)} ORDER BY x.from_run`,
    valuesOf(identity, run),
  )
  return rows.map(({ added, ...row }) => ({ ...row, isAdded: added > 0 }))
}

type SpanRow = Omit<ViolationSpan, 'waiver' | 'endedBy' | 'originRun' | 'isContinued' | 'goesOn'> & {
  readonly waiver: string | null
  readonly endedBy: string | null
  readonly originRun: number | null
  readonly replaces: number | null
  readonly followers: number
}

export async function violationsOf(session: Session, identity: Identity, run: number): Promise<ViolationSpan[]> {
  const columns = `x.fingerprint, x.rule, x.severity, x.kind, x.uid, x.name, x.path, x.message, x.state, x.waiver,
    x.origin_run AS "originRun", CASE WHEN e.number IS NOT NULL THEN x.resolution END AS resolution,
    CASE WHEN e.number IS NOT NULL THEN x.ended_by END AS "endedBy", x.replaces,
    (SELECT count(*) FROM hookdrift.violation y WHERE y.replaces = x.id AND y.from_run <= $5) AS followers`
  const rows = await session.all<SpanRow>(
    `${spansSql('violation', columns)} ORDER BY x.from_run, x.id`,
    valuesOf(identity, run),
  )
  return rows.map(({ originRun, replaces, followers, ...row }) => ({
    ...toRecordedViolation(row),
    ...(originRun !== null && { originRun }),
    isContinued: replaces !== null,
    goesOn: followers > 0,
  }))
}

/** Uses the indexes on what subscriptions refer to. */
export async function referrersOf(
  session: Session,
  { project, kind, uid }: Identity,
  run: number,
): Promise<Referrer[]> {
  const column = pointers[kind]
  if (column === undefined) return []
  const rows = await session.all<Referrer>(
    spansSql('version', 'x.uid, x.name', `x.kind = $3 AND x.${column} = $4`),
    valuesOf({ project, kind: 'subscription', uid }, run),
  )
  return rows.sort((a, b) => compareText(a.uid, b.uid) || a.fromRun - b.fromRun)
}

const pointers: Readonly<Partial<Record<Kind, string>>> = {
  endpoint: 'endpoint_uid',
  source: 'source_uid',
  device: 'device_uid',
}
