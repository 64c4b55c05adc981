import type { Database } from 'better-sqlite3'
import { type Kind, type ProjectRef, type ResourceKey, resourceKey } from '../../model/resource.ts'
import type { ResourceAtRun } from '../reader.ts'
import { byKindAndUid } from '../report-order.ts'
import { type BodyRow, type StoredBody, toStoredBody, type VersionPoint } from '../stored-body.ts'
import { cachedStatement } from './cached-statement.ts'
import { damaged } from './describe-damage.ts'
import { bodyColumns } from './rows.ts'
import { findProject } from './scans-at.ts'

/** A version as an array: thousands are read at once. */
export type VersionValues = readonly [
  kind: Kind,
  uid: string,
  name: string,
  fromRun: number,
  digest: string,
  body: string,
]
export const versionColumns = 'v.kind, v.uid, v.name, v.from_run, v.digest, v.body'

/** The start of a run and its installation key; each run is read once. */
export function runReader(db: Database) {
  const known = new Map<number, Pick<ResourceAtRun, 'since' | 'sealKeyId'>>()
  const read = cachedStatement<[number], Pick<ResourceAtRun, 'since' | 'sealKeyId'>>(
    db,
    'SELECT started_at AS since, seal_key_id AS sealKeyId FROM run WHERE number = ?',
  )
  return (number: number) => {
    const run = known.get(number) ?? read.get(number)
    if (run === undefined) throw damaged(db.name, 'a version belongs to a run that is missing')
    known.set(number, run)
    return run
  }
}

/** Resources as of a run. The index alone finds them; only their rows are read. */
export function stateAt(db: Database, project: ProjectRef, run: number, kind?: Kind): ResourceAtRun[] {
  const id = findProject(db, project)
  if (id === undefined) return []
  const marked = unreferencedAt(db, id, run)
  const ofKind = kind === undefined ? '' : 'AND v.kind = @kind'
  const runOf = runReader(db)
  return cachedStatement<{ project: number; run: number; kind?: Kind }, VersionValues>(
    db,
    `SELECT ${versionColumns} FROM version v
       WHERE v.project_id = @project ${ofKind} AND v.from_run <= @run AND (v.to_run IS NULL OR v.to_run > @run)`,
  )
    .raw()
    .all({ project: id, run, ...(kind === undefined ? {} : { kind }) })
    .map(([kind, uid, name, fromRun, digest, body]) => {
      const { since, sealKeyId } = runOf(fromRun)
      const isUnreferenced = marked.size > 0 && marked.has(resourceKey({ kind, uid }))
      return { kind, uid, name, fromRun, digest, body, sealKeyId, since, isUnreferenced }
    })
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

function unreferencedAt(db: Database, project: number, run: number): Set<ResourceKey> {
  const marks = cachedStatement<{ project: number; run: number }, { kind: Kind; uid: string }>(
    db,
    `SELECT kind, uid FROM unreferenced
     WHERE project_id = @project AND from_run <= @run AND (to_run IS NULL OR to_run > @run)`,
  )
  return new Set(marks.all({ project, run }).map(resourceKey))
}
