import { renameSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { type DraftPlace, openDraftPlace } from './draft-place.ts'

/**
 * Copies a history to `FILE.before-0004` before step 4 changes its schema. The copy is readable by its owner only, and
 * either complete or absent. Returns its path; undefined when another process took the step, and made the copy.
 * @throws AuditError.failure when it cannot be written; the history is unchanged then
 */
export function backUpBefore(db: Database.Database, step: number): string | undefined {
  const copy = `${db.name}.before-${String(step).padStart(4, '0')}`
  let place: DraftPlace | undefined
  try {
    place = openDraftPlace(copy)
    const { draft } = place
    db.prepare('VACUUM INTO ?').run(draft)
    if (schemaOf(draft) >= step) return undefined
    renameSync(draft, copy)
    return copy
  } catch (error) {
    throw AuditError.failure(`cannot back up the history ${db.name} before its upgrade: ${reasonOf(error)}`, {
      advice: 'make room for a copy of it in the same directory; the history is unchanged',
      cause: error,
    })
  } finally {
    place?.close()
  }
}

function schemaOf(file: string): number {
  const db = new Database(file, { readonly: true })
  try {
    return Number(db.pragma('user_version', { simple: true }))
  } finally {
    db.close()
  }
}
