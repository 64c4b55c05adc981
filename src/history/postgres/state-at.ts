import type { JsonObject } from '../../model/json.ts'
import { resourceKey } from '../../model/keys.ts'
import type { Kind, ProjectRef } from '../../model/resource.ts'
import { pairVersions } from '../pair-versions.ts'
import type { Differing, EvaluableVersion, ResourceAtRun } from '../reader.ts'
import { byKindAndUid } from '../report-order.ts'
import {
  type BodyRow,
  parseFacts,
  type StoredBody,
  type StoredResource,
  toStoredBody,
  type VersionPoint,
} from '../stored-body.ts'
import type { Session } from './connect.ts'
import { isUidSql, lastScanSql, projectIdSql, validAtSql } from './sql-fragments.ts'

/** Of `version v` and `run r`. */
const versionColumns = `v.kind, v.uid, v.name, v.from_run AS "fromRun", v.digest, v.body, r.started_at AS since,
  r.seal_key_id AS "sealKeyId"`

/** Resources as of a run, in a snapshot. */
export async function stateAt(
  session: Session,
  { service, uid }: ProjectRef,
  run: number,
  kind?: Kind,
): Promise<ResourceAtRun[]> {
  // Two statements, because an index decides on an end only where the condition is one comparison.
  const ending = (end: string) => `SELECT ${versionColumns} FROM hookdrift.version v
    JOIN hookdrift.run r ON r.number = v.from_run WHERE v.project_id = ${projectIdSql('$1', '$2')}
      ${kind === undefined ? '' : 'AND v.kind = $4'} AND v.from_run <= $3 AND ${end}`
  const rows = await session.all<Omit<ResourceAtRun, 'isUnreferenced'>>(
    `${ending('v.to_run IS NULL')} UNION ALL ${ending('v.to_run > $3')}`,
    [service, uid, run, ...(kind === undefined ? [] : [kind])],
  )
  const marks = await session.all<{ kind: Kind; uid: string }>(
    `SELECT u.kind, u.uid FROM hookdrift.unreferenced u WHERE u.project_id = ${projectIdSql('$1', '$2')}
       AND ${validAtSql('u', '$3')}`,
    [service, uid, run],
  )
  const marked = new Set(marks.map(resourceKey))
  return rows.map((row) => ({ ...row, isUnreferenced: marked.has(resourceKey(row)) })).sort(byKindAndUid)
}

/** One index lookup for each point. */
export async function versionsAt(
  session: Session,
  { service, uid }: ProjectRef,
  points: readonly VersionPoint[],
): Promise<(StoredBody | undefined)[]> {
  const found: (StoredBody | undefined)[] = points.map(() => undefined)
  if (points.length === 0) return found
  const rows = await session.all<BodyRow & { at: number }>(
    `SELECT p.at, v.*, r.started_at AS since, r.seal_key_id AS "sealKeyId"
     FROM unnest($3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY AS p (kind, uid, run, at)
     CROSS JOIN LATERAL (
       SELECT v.name, v.from_run AS "fromRun", v.body, v.facts, v.normal_form_version AS normaliser FROM hookdrift.version v
       WHERE v.project_id = ${projectIdSql('$1', '$2')} AND v.kind = p.kind AND ${isUidSql('v.uid', 'p.uid')}
         AND ${validAtSql('v', 'p.run')} LIMIT 1) v
     JOIN hookdrift.run r ON r.number = v."fromRun"`,
    [service, uid, points.map(({ kind }) => kind), points.map((point) => point.uid), points.map(({ run }) => run)],
  )
  for (const { at, ...row } of rows) found[at - 1] = toStoredBody(row)
  return found
}

/** By their ids, in the order asked. */
export async function versionsById(session: Session, ids: readonly number[]): Promise<StoredResource[]> {
  const rows = await session.all<{ kind: Kind; uid: string; name: string; body: string; facts: string }>(
    `SELECT v.kind, v.uid, v.name, v.body, v.facts FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, at)
     JOIN hookdrift.version v ON v.id = i.id ORDER BY i.at`,
    [ids],
  )
  return rows.map(({ body, facts, ...row }) => ({
    ...row,
    attributes: JSON.parse(body) as JsonObject,
    facts: parseFacts(facts),
  }))
}

type SideRow = EvaluableVersion & {
  readonly isAfter: boolean
  readonly kind: Kind
  readonly uid: string
  readonly projectId: number
  readonly project: string
  readonly service: string
  readonly projectUid: string
}

/**
 * What was replaced or ended after `from`, and what was written instead by `to`. Found by the starts and ends of
 * versions, so the cost grows only with the changes between the two.
 */
export async function differing(session: Session, from: number, to: number): Promise<Differing[]> {
  const side = (isAfter: boolean, condition: string) => `SELECT ${isAfter} AS "isAfter", ${versionColumns}, v.facts,
      p.id AS "projectId", p.name AS project, p.service, p.uid AS "projectUid"
    FROM hookdrift.version v JOIN scanned p ON p.id = v.project_id JOIN hookdrift.run r ON r.number = v.from_run
    WHERE ${condition}`
  const rows = await session.all<SideRow>(
    `WITH scanned AS MATERIALIZED (${lastScanSql('$2')})
     ${side(false, 'v.to_run > $1 AND v.to_run <= $2 AND v.from_run <= $1')}
     UNION ALL ${side(true, 'v.from_run > $1 AND v.from_run <= $2 AND (v.to_run IS NULL OR v.to_run > $2)')}`,
    [from, to],
  )
  const pairs = pairVersions()
  for (const { isAfter, kind, uid, projectId, project, service, projectUid, ...version } of rows) {
    const identity = { project: { name: project, service, uid: projectUid }, kind, uid }
    pairs.add(isAfter ? 'after' : 'before', projectId, identity, version)
  }
  return pairs.differing()
}
