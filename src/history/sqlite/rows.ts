import type { Database } from 'better-sqlite3'
import { remembering } from '../../model/remembering.ts'
import { type ProjectRef, projectKey } from '../../model/resource.ts'
import { cachedStatement } from './cached-statement.ts'
import { writeTransaction } from './write-transaction.ts'

/** The start of a run, which many rows share. */
export function runStarts(db: Database): (run: number) => string {
  const find = cachedStatement<[number], string>(db, 'SELECT started_at FROM run WHERE number = ?').pluck()
  return remembering((run: number) => find.get(run) ?? '')
}

/** Columns of a stored body, from `version v` and `run r`. */
export const bodyColumns =
  'v.name, v.from_run AS fromRun, r.started_at AS since, v.body, v.facts, v.normal_form_version AS normaliser, r.seal_key_id AS sealKeyId'

/** The id of a project's row, which is inserted if missing. */
export function projectIds(db: Database): (project: ProjectRef) => number {
  const known = new Map<string, number>()
  const find = db.prepare<[string, string], number>('SELECT id FROM project WHERE service = ? AND uid = ?').pluck()
  const insert = db.prepare<[string, string]>('INSERT INTO project (service, uid) VALUES (?, ?)')
  const make = (service: string, uid: string) =>
    writeTransaction(db, () => find.get(service, uid) ?? Number(insert.run(service, uid).lastInsertRowid))
  return (project) => {
    const { service, uid } = project
    const key = projectKey(project)
    const id = known.get(key) ?? find.get(service, uid) ?? make(service, uid)
    known.set(key, id)
    return id
  }
}
