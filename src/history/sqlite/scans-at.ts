import type { Database } from 'better-sqlite3'
import type { ProjectRef } from '../../model/resource.ts'
import { compareText } from '../report-order.ts'
import { cachedStatement } from './cached-statement.ts'

/** A project's row and its last scan as of a run. */
export interface ScanRow extends ProjectRef {
  readonly id: number
  readonly run: number
}

const lastScanSql = `SELECT p.id, s.name, p.service, p.uid, s.run FROM project p CROSS JOIN scan s ON s.project_id = p.id
  AND s.run = (SELECT max(l.run) FROM scan l WHERE l.project_id = p.id AND l.run <= ?)`

/** Every project that was scanned by a run, with its name as of its last scan then. */
export function latestScanNumbers(db: Database, run: number): ScanRow[] {
  return cachedStatement<[number], ScanRow>(db, lastScanSql)
    .all(run)
    .sort((a, b) => compareText(a.name, b.name))
}

/** The name of a project as of a run; undefined when none had scanned it by then. */
export function nameAt(db: Database, project: number, run: number): string | undefined {
  return cachedStatement<[number, number], string>(
    db,
    'SELECT name FROM scan WHERE project_id = ? AND run <= ? ORDER BY run DESC LIMIT 1',
  )
    .pluck()
    .get(project, run)
}

export function findProject(db: Database, { service, uid }: Pick<ProjectRef, 'service' | 'uid'>): number | undefined {
  return cachedStatement<[string, string], number>(db, 'SELECT id FROM project WHERE service = ? AND uid = ?')
    .pluck()
    .get(service, uid)
}
