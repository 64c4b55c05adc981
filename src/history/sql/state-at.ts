import { type Kind, type ProjectRef, resourceKey } from '../../model/resource.ts'
import type { HistoryReader } from '../reader.ts'
import { byKindAndUid } from '../report-order.ts'
import { readStoredVersion, type StoredBody, type StoredVersion, type VersionPoint } from '../stored-body.ts'
import { projectIdSql, validAtSql } from './fragments.ts'
import { type Session, sqlOf } from './session.ts'

/** A version as stored. The body is unparsed canonical JSON: callers read many versions and parse few. */
export interface StateVersion {
  readonly name: string
  readonly fromRun: number
  readonly digest: string
  readonly body: string
  /** Canonical JSON of facts and doubts; empty when there are none. */
  readonly facts: string
  readonly sealKeyId: string
}

/** A version with all that rules evaluate. */
export interface EvaluableVersion extends StateVersion {
  /** Start of the run that wrote it. */
  readonly since: string
}

export interface ResourceAtRun extends StateVersion {
  readonly kind: Kind
  readonly uid: string
  /** Start of the run that wrote it. */
  readonly since: string
  /** No subscription refers to it, and no listing shows it. */
  readonly isUnreferenced: boolean
}

/** Of `version v` and `run r`. */
export const versionColumns = `v.kind, v.uid, v.name, v.from_run AS "fromRun", v.digest, v.body, v.facts, r.started_at AS since,
  r.seal_key_id AS "sealKeyId"`

/** Resources of a project as of a run, by kind and uid. */
export async function readStateAt(
  history: HistoryReader,
  project: ProjectRef,
  run: number,
  kind?: Kind,
): Promise<readonly ResourceAtRun[]> {
  return history.snapshot((session) => stateAt(session, project, run, kind))
}

/** The index alone finds them; only their rows are read. */
async function stateAt(
  session: Session,
  { service, uid }: ProjectRef,
  run: number,
  kind: Kind | undefined,
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

/** The versions of a project that were valid in runs, in the order of `points`; undefined where there was none. */
export async function readVersionsAt(
  history: HistoryReader,
  project: ProjectRef,
  points: readonly VersionPoint[],
): Promise<readonly (StoredBody | undefined)[]> {
  return history.ask((session) => versionsAt(session, project, points))
}

/** One index lookup for each point. */
async function versionsAt(
  session: Session,
  { service, uid }: ProjectRef,
  points: readonly VersionPoint[],
): Promise<(StoredBody | undefined)[]> {
  const bodies: (StoredBody | undefined)[] = points.map(() => undefined)
  if (points.length === 0) return bodies
  const rows = await session.all<StoredVersion & { readonly ordinal: number }>(
    `SELECT p.ordinal, v.name, v.from_run AS "fromRun", r.started_at AS since, v.body, v.facts,
       v.normal_form_version AS normaliser, r.seal_key_id AS "sealKeyId"
     FROM hookdrift.project j CROSS JOIN ${sqlOf(session, pointsSql)} CROSS JOIN hookdrift.run r
     WHERE j.service = $1 AND j.uid = $2 AND r.number = v.from_run`,
    [service, uid, ...listedPoints(session, points)],
  )
  for (const { ordinal, ...row } of rows.toSorted((a, b) => a.fromRun - b.fromRun)) {
    bodies[ordinal - 1] = readStoredVersion(row)
  }
  return bodies
}

const isAtPoint = (row: string) => `${row}.project_id = j.id AND ${row}.kind = p.kind AND ${row}.uid = p.uid
  AND ${validAtSql(row, 'p.run')}`

/**
 * Points `p` of a project `j`, each with its `version v`. PostgreSQL has no NUL in JSON, and SQLite no lists of several
 * columns. Without the fence, PostgreSQL would rather read all versions than find thousands by their index.
 */
const pointsSql = {
  sqlite: `(SELECT key + 1 AS ordinal, value ->> 'kind' AS kind, value ->> 'uid' AS uid, value ->> 'run' AS run
    FROM json_each($3)) p CROSS JOIN hookdrift.version v ON ${isAtPoint('v')}`,
  postgres: `unnest($3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY AS p (kind, uid, run, ordinal)
    CROSS JOIN LATERAL (SELECT * FROM hookdrift.version x WHERE ${isAtPoint('x')} ORDER BY x.from_run DESC LIMIT 1) v`,
}

function listedPoints({ dialect }: Session, points: readonly VersionPoint[]) {
  if (dialect === 'sqlite') return [JSON.stringify(points)]
  return [points.map(({ kind }) => kind), points.map(({ uid }) => uid), points.map(({ run }) => run)]
}

/** Versions of some resources of a project that ended, the newest first. */
export async function readEarlierVersions(
  history: HistoryReader,
  project: ProjectRef,
  resources: readonly Pick<VersionPoint, 'kind' | 'uid'>[],
): Promise<readonly EndedVersion[]> {
  const { service, uid } = project
  if (resources.length === 0) return []
  const points = resources.map((resource) => ({ kind: resource.kind, uid: resource.uid, run: 0 }))
  return history.ask((session) =>
    session.all<EndedVersion>(
      `SELECT v.kind, v.uid, v.to_run AS "toRun", v.name, v.from_run AS "fromRun", r.started_at AS since, v.body, v.facts,
         v.normal_form_version AS normaliser, r.seal_key_id AS "sealKeyId"
       FROM hookdrift.project j CROSS JOIN ${sqlOf(session, endedSql)} CROSS JOIN hookdrift.run r
       WHERE j.service = $1 AND j.uid = $2 AND r.number = v.from_run ORDER BY v.from_run DESC`,
      [service, uid, ...listedPoints(session, points)],
    ),
  )
}

/** Resources of a project of which a version ended after a run. */
export function readEndedSince(
  history: HistoryReader,
  { service, uid }: ProjectRef,
  run: number,
): Promise<readonly Pick<EndedVersion, 'kind' | 'uid'>[]> {
  return history.ask((session) =>
    session.all(
      `SELECT DISTINCT v.kind, v.uid FROM hookdrift.version v
       WHERE v.project_id = ${projectIdSql('$1', '$2')} AND v.to_run > $3`,
      [service, uid, run],
    ),
  )
}

/** A version that a later run replaced or ended. */
export interface EndedVersion extends StoredVersion {
  readonly kind: Kind
  readonly uid: string
  /** The run that ended it. */
  readonly toRun: number
}

const isEndedOf = (row: string) =>
  `${row}.project_id = j.id AND ${row}.kind = p.kind AND ${row}.uid = p.uid AND ${row}.to_run IS NOT NULL`

const endedSql = {
  sqlite: `(SELECT value ->> 'kind' AS kind, value ->> 'uid' AS uid FROM json_each($3)) p
    CROSS JOIN hookdrift.version v ON ${isEndedOf('v')}`,
  postgres: `unnest($3::text[], $4::text[], $5::bigint[]) AS p (kind, uid, run)
    CROSS JOIN LATERAL (SELECT * FROM hookdrift.version x WHERE ${isEndedOf('x')} OFFSET 0) v`,
}
