import type { Database } from 'better-sqlite3'
import type { NamedIdentity } from '../reader.ts'
import { compareText } from '../report-order.ts'
import { cachedStatement } from './cached-statement.ts'
import { latestScanNumbers } from './scans-at.ts'

/** Reads the endpoints of every project: a question of a person. */
export function endpointsOf(db: Database, owner: string, run: number): NamedIdentity[] {
  const endpoints = cachedStatement<{ project: number; owner: string; run: number }, { uid: string; name: string }>(
    db,
    `SELECT v.uid, v.name FROM version v WHERE v.project_id = @project AND v.kind = 'endpoint' AND v.from_run <= @run
         AND (v.to_run IS NULL OR v.to_run > @run) AND v.owner_id = @owner`,
  )
  return latestScanNumbers(db, run).flatMap(({ id, run: _, ...project }) =>
    endpoints
      .all({ project: id, owner, run })
      .map(({ uid, name }) => ({ project, kind: 'endpoint' as const, uid, name }))
      .sort((a, b) => compareText(a.uid, b.uid)),
  )
}
