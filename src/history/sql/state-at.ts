import { type Kind, type ProjectRef, resourceKey } from '../../model/resource.ts'
import type { ResourceAtRun } from '../reader.ts'
import { byKindAndUid } from '../report-order.ts'
import { type BodyRow, type StoredBody, toStoredBody, type VersionPoint } from '../stored-body.ts'
import { projectIdSql, validAtSql } from './fragments.ts'
import { type Session, sqlOf } from './session.ts'

/** Of `version v` and `run r`. */
export const versionColumns = `v.kind, v.uid, v.name, v.from_run AS "fromRun", v.digest, v.body, r.started_at AS since,
  r.seal_key_id AS "sealKeyId"`

/** Resources as of a run, in a snapshot. The index alone finds them; only their rows are read. */
export async function stateAt(
  session: Session,
  { service, uid }: ProjectRef,
  run: number,
  kind?: Kind,
): Promise<ResourceAtRun[]> {
  const where = (valid: string) => `SELECT ${versionColumns} FROM hookdrift.version v CROSS JOIN hookdrift.run r
    WHERE v.project_id = ${projectIdSql('$1', '$2')} ${kind === undefined ? '' : 'AND v.kind = $4'}
      AND v.from_run <= $3 AND ${valid} AND r.number = v.from_run`
  const rows = await session.all<Omit<ResourceAtRun, 'isUnreferenced'>>(
    sqlOf(session, {
      sqlite: where('(v.to_run IS NULL OR v.to_run > $3)'),
      // Its indexes decide on an end only where the condition is one comparison.
      postgres: `${where('v.to_run IS NULL')} UNION ALL ${where('v.to_run > $3')}`,
    }),
    [service, uid, run, ...(kind === undefined ? [] : [kind])],
  )
  const marks = await session.all<{ kind: Kind; uid: string }>(
    `SELECT u.kind, u.uid FROM hookdrift.unreferenced u WHERE u.project_id = ${projectIdSql('$1', '$2')}
       AND ${validAtSql('u', '$3')}`,
    [service, uid, run],
  )
  const marked = new Set(marks.map(resourceKey))
  return rows
    .map((row) => ({ ...row, isUnreferenced: marked.size > 0 && marked.has(resourceKey(row)) }))
    .sort(byKindAndUid)
}

/** One index lookup for each point. */
export async function versionsAt(
  session: Session,
  { service, uid }: ProjectRef,
  points: readonly VersionPoint[],
): Promise<(StoredBody | undefined)[]> {
  const found: (StoredBody | undefined)[] = points.map(() => undefined)
  if (points.length === 0) return found
  const rows = await session.all<BodyRow & { readonly place: number }>(
    `SELECT p.place, v.name, v.from_run AS "fromRun", r.started_at AS since, v.body, v.facts,
       v.normal_form_version AS normaliser, r.seal_key_id AS "sealKeyId"
     FROM hookdrift.project j CROSS JOIN ${sqlOf(session, pointsSql)} CROSS JOIN hookdrift.version v
       CROSS JOIN hookdrift.run r
     WHERE j.service = $1 AND j.uid = $2 AND v.id = (SELECT x.id FROM hookdrift.version x WHERE x.project_id = j.id
         AND x.kind = p.kind AND x.uid = p.uid AND ${validAtSql('x', 'p.run')} LIMIT 1)
       AND r.number = v.from_run`,
    [service, uid, ...listedPoints(session, points)],
  )
  for (const { place, ...row } of rows) found[place - 1] = toStoredBody(row)
  return found
}

/** Points as `p`. PostgreSQL has no NUL in JSON, and SQLite no lists of several columns. */
const pointsSql = {
  sqlite: `(SELECT key + 1 AS place, value ->> 'kind' AS kind, value ->> 'uid' AS uid, value ->> 'run' AS run
    FROM json_each($3)) p`,
  postgres: 'unnest($3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY AS p (kind, uid, run, place)',
}

function listedPoints({ dialect }: Session, points: readonly VersionPoint[]) {
  if (dialect === 'sqlite') return [JSON.stringify(points)]
  return [points.map(({ kind }) => kind), points.map(({ uid }) => uid), points.map(({ run }) => run)]
}
