import type { Database } from 'better-sqlite3'
import { projectKey } from '../../model/keys.ts'
import type { ProjectRef } from '../../model/resource.ts'
import type { Waiver } from '../../model/violation.ts'
import type { ActiveViolation } from '../history.ts'
import type { CommittedRun } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { cachedStatement } from './cached-statement.ts'
import { writeTransaction } from './write-transaction.ts'

const committedRunsSql =
  "SELECT number, started_at AS startedAt, finished_at AS finishedAt FROM run WHERE state = 'committed' ORDER BY number"

/** Oldest first. */
export function committedRuns(db: Database): CommittedRun[] {
  return cachedStatement<[], CommittedRun>(db, committedRunsSql).all()
}

/** Reads one row. */
export function lastRun(db: Database): CommittedRun | undefined {
  return cachedStatement<[], CommittedRun>(db, `${committedRunsSql} DESC LIMIT 1`).get()
}

/** Columns of a stored body, from `version v` and `run r`. */
export const bodyColumns =
  'v.name, v.from_run AS fromRun, r.started_at AS since, v.body, v.facts, v.normal_form_version AS normaliser, r.seal_key_id AS sealKeyId'

/** A violation as a draft reads it. */
export type ActiveViolationRow = Omit<ActiveViolation, 'waiver' | 'originRun'> & {
  readonly waiver: string | null
  readonly originRun: number | null
}
export type WithOriginRow = ActiveViolationRow & {
  readonly originRun: number
  readonly firstSeen: string
  readonly isActive: 0 | 1
}

export function toActiveViolation({ waiver, originRun, ...row }: ActiveViolationRow): ActiveViolation {
  return { ...row, originRun: originRun ?? undefined, waiver: waiver === null ? undefined : waiverOf(waiver) }
}

/** A violation of a record as read. */
export type RecordedRow = Omit<RecordedViolation, 'waiver'> & { readonly waiver: string | null }

export function toRecordedViolation<Row extends { readonly waiver: string | null; readonly owner?: unknown }>({
  waiver,
  owner,
  ...row
}: Row) {
  // A service may send an owner that is not text: it names no one.
  const named = owner === undefined ? row : { ...row, owner: typeof owner === 'string' ? owner : null }
  return waiver === null ? named : { ...named, waiver: waiverOf(waiver) }
}

/** Hookdrift wrote the JSON. */
export function waiverOf(json: string): Waiver {
  return JSON.parse(json)
}

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
