import type { Database } from 'better-sqlite3'
import { type ResourceKey, resourceKey } from '../../model/keys.ts'
import type { Kind, ProjectRef } from '../../model/resource.ts'
import type { Differing, EvaluableVersion, ResourceAtRun } from '../reader.ts'
import { byKindAndUid, compareText } from '../report-order.ts'
import { type BodyRow, type IdentifiedBody, type StoredBody, toStoredBody, type VersionPoint } from '../stored-body.ts'
import { cachedStatement } from './cached-statement.ts'
import { bodyColumns } from './rows.ts'
import { findProject, latestScanNumbers } from './scans-at.ts'

const keptColumns = 'v.name, v.from_run AS fromRun, v.digest, v.body, r.seal_key_id AS sealKeyId'

/** Resources as of a run. The index alone finds them; only their rows are read. */
export function stateAt(db: Database, project: ProjectRef, run: number, kind?: Kind): ResourceAtRun[] {
  const id = findProject(db, project)
  if (id === undefined) return []
  const marked = unreferencedAt(db, id, run)
  const ofKind = kind === undefined ? '' : 'AND v.kind = @kind'
  return cachedStatement<{ project: number; run: number; kind?: Kind }, Omit<ResourceAtRun, 'isUnreferenced'>>(
    db,
    `SELECT v.kind, v.uid, ${keptColumns}, r.started_at AS since
       FROM version v CROSS JOIN run r ON r.number = v.from_run
       WHERE v.project_id = @project ${ofKind} AND v.from_run <= @run AND (v.to_run IS NULL OR v.to_run > @run)`,
  )
    .all({ project: id, run, ...(kind === undefined ? {} : { kind }) })
    .map((row) => ({ ...row, isUnreferenced: marked.size > 0 && marked.has(resourceKey(row)) }))
    .sort(byKindAndUid)
}

/** One index lookup for each point. */
export function versionsAt(
  db: Database,
  project: ProjectRef,
  points: readonly VersionPoint[],
): (StoredBody | undefined)[] {
  const found: (StoredBody | undefined)[] = points.map(() => undefined)
  const id = findProject(db, project)
  if (id === undefined || points.length === 0) return found
  const rows = cachedStatement<{ project: number; points: string }, BodyRow & { at: number }>(
    db,
    `SELECT p.key AS at, ${bodyColumns} FROM json_each(@points) p
       CROSS JOIN version v ON v.project_id = @project AND v.kind = p.value ->> '$.kind' AND v.uid = p.value ->> '$.uid'
         AND v.from_run <= p.value ->> '$.run' AND (v.to_run IS NULL OR v.to_run > p.value ->> '$.run')
       CROSS JOIN run r ON r.number = v.from_run`,
  ).all({ project: id, points: JSON.stringify(points) })
  for (const { at, ...row } of rows) found[at] = toStoredBody(row)
  return found
}

/** By their ids, in the order asked. */
export function versionsById(db: Database, ids: readonly number[]): IdentifiedBody[] {
  const rows = cachedStatement<[string], BodyRow & { id: number; kind: Kind; uid: string }>(
    db,
    `SELECT v.id, v.kind, v.uid, ${bodyColumns} FROM json_each(?) i CROSS JOIN version v ON v.id = i.value
       CROSS JOIN run r ON r.number = v.from_run`,
  ).all(JSON.stringify(ids))
  return rows.map(({ id, kind, uid, ...row }) => ({ id, kind, uid, ...toStoredBody(row) }))
}

function unreferencedAt(db: Database, project: number, run: number): Set<ResourceKey> {
  const marks = cachedStatement<{ project: number; run: number }, { kind: Kind; uid: string }>(
    db,
    `SELECT kind, uid FROM unreferenced
     WHERE project_id = @project AND from_run <= @run AND (to_run IS NULL OR to_run > @run)`,
  )
  return new Set(marks.all({ project, run }).map(resourceKey))
}

interface Side extends EvaluableVersion {
  readonly project: number
  readonly kind: Kind
  readonly uid: string
}

/**
 * What was replaced or ended after `from`, and what was written instead by `to`. Found by the starts and ends of
 * versions, so the cost grows only with the changes between the two. A run's new rows have ids above its floor.
 */
export function differing(db: Database, from: number, to: number): Differing[] {
  const side = `SELECT v.project_id AS project, v.kind, v.uid, ${keptColumns}, v.facts, r.started_at AS since
    FROM version v CROSS JOIN run r ON r.number = v.from_run`
  const befores = cachedStatement<{ from: number; to: number }, Side>(
    db,
    `${side} WHERE v.to_run > @from AND v.to_run <= @to AND v.from_run <= @from`,
  ).all({ from, to })
  const afters = cachedStatement<{ from: number; to: number }, Side>(
    db,
    `${side} WHERE v.id > (SELECT version_floor FROM run WHERE number > @from ORDER BY number LIMIT 1)
         AND v.from_run > @from AND v.from_run <= @to AND (v.to_run IS NULL OR v.to_run > @to)`,
  ).all({ from, to })
  const projects = new Map(latestScanNumbers(db, to).map(({ id, run: _, ...project }) => [id, project]))
  const pairs = new Map<string, { at: Side; before?: EvaluableVersion; after?: EvaluableVersion }>()
  for (const row of befores) pairs.set(keyOf(row), { at: row, before: kept(row) })
  for (const row of afters) pairs.set(keyOf(row), { ...pairs.get(keyOf(row)), at: row, after: kept(row) })
  return [...pairs.values()]
    .flatMap(({ at: { project: id, kind, uid }, before, after }) => {
      const project = projects.get(id)
      if (project === undefined || before?.digest === after?.digest) return []
      return [{ project, kind, uid, before, after }]
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
}

function kept({ name, fromRun, digest, body, sealKeyId, since, facts }: Side): EvaluableVersion {
  return { name, fromRun, digest, body, sealKeyId, since, facts }
}

function keyOf(side: Side): string {
  return `${side.project} ${resourceKey(side)}`
}
