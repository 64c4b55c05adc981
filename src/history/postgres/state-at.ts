import { type Kind, type ProjectRef, resourceKey } from '../../model/resource.ts'
import type { ResourceAtRun } from '../reader.ts'
import { byKindAndUid } from '../report-order.ts'
import { type BodyRow, type StoredBody, toStoredBody, type VersionPoint } from '../stored-body.ts'
import type { Session } from './connect.ts'
import { projectIdSql, validAtSql } from './sql-fragments.ts'

/** Of `version v` and `run r`. */
export const versionColumns = `v.kind, v.uid, v.name, v.from_run AS "fromRun", v.digest, v.body, r.started_at AS since,
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
       WHERE v.project_id = ${projectIdSql('$1', '$2')} AND v.kind = p.kind AND v.uid = p.uid
         AND ${validAtSql('v', 'p.run')} LIMIT 1) v
     JOIN hookdrift.run r ON r.number = v."fromRun"`,
    [service, uid, points.map(({ kind }) => kind), points.map((point) => point.uid), points.map(({ run }) => run)],
  )
  for (const { at, ...row } of rows) found[at - 1] = toStoredBody(row)
  return found
}
