import type { Database } from 'better-sqlite3'
import type { JsonObject } from '../../model/json.ts'
import type { Facts, ProjectRef } from '../../model/resource.ts'
import type { StoredBody } from '../history.ts'

/** Columns of a version that make a stored body; `run` gives the key that sealed it. */
export const bodyColumns = 'v.name, v.body, v.facts, v.normaliser, r.seal_key_id AS sealKeyId'

export interface BodyRow {
  readonly name: string
  readonly body: string
  readonly facts: string
  readonly normaliser: number
  readonly sealKeyId: string
}

export function toStoredBody({ name, body, facts, normaliser, sealKeyId }: BodyRow): StoredBody {
  // What we wrote ourselves as canonical JSON of these types.
  const attributes = JSON.parse(body) as JsonObject
  return { name, attributes, facts: facts === '' ? {} : (JSON.parse(facts) as Facts), normaliser, sealKeyId }
}

/** The row of a project, made when it is not there. */
export function projectIds(db: Database): (project: ProjectRef) => number {
  const known = new Map<string, number>()
  const find = db.prepare<[string, string], number>('SELECT id FROM project WHERE service = ? AND uid = ?').pluck()
  const insert = db.prepare<[string, string]>('INSERT INTO project (service, uid) VALUES (?, ?)')
  return ({ service, uid }) => {
    const key = `${service}/${uid}`
    const id = known.get(key) ?? find.get(service, uid) ?? Number(insert.run(service, uid).lastInsertRowid)
    known.set(key, id)
    return id
  }
}
