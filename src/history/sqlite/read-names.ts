import Database from 'better-sqlite3'
import { type KnownName, lastCharacter, mostNames, type Named, namesTimeoutMs } from '../known-names.ts'
import { refuseForeign, refuseOtherSchema } from './open-database.ts'
import { openUnwritable } from './open-unwritable.ts'
import { refuseMissing, refuseSpecialFile } from './refuse-files.ts'

/**
 * The names of one sort that begin with a text, at most 200: for a person who waits. Reads only, and upgrades nothing.
 * Throws where there is no history of this program's schema.
 */
export function readNames(file: string, what: Named, prefix: string): readonly KnownName[] {
  refuseMissing(file)
  refuseSpecialFile(file)
  const db =
    openUnwritable(file) ?? new Database(file, { readonly: true, fileMustExist: true, timeout: namesTimeoutMs })
  try {
    refuseForeign(db)
    refuseOtherSchema(db)
    return readers[what](db, prefix)
  } finally {
    db.close()
  }
}

type Read = (db: Database.Database, prefix: string) => readonly KnownName[]

const readers: Readonly<Record<Named, Read>> = {
  runs: (db, prefix) =>
    db
      .prepare<[string, number], KnownName>(
        `SELECT CAST(number AS TEXT) AS value, started_at AS about FROM run
         WHERE state = 'committed' AND CAST(number AS TEXT) LIKE ? || '%' ORDER BY number DESC LIMIT ?`,
      )
      .all(prefix.replace(/\D/g, 'x'), mostNames),
  projects: (db, prefix) =>
    db
      .prepare<[string, string, number], KnownName>(
        `SELECT DISTINCT value, '' AS about FROM
           (SELECT (SELECT name FROM scan s WHERE s.project_id = p.id ORDER BY run DESC LIMIT 1) AS value FROM project p)
         WHERE value >= ? AND value < ? ORDER BY value LIMIT ?`,
      )
      .all(prefix, prefix + lastCharacter, mostNames),
  resources: readResources,
  violations: (db, prefix) =>
    db
      .prepare<[string, string, number], KnownName>(
        `SELECT fingerprint AS value, rule || ' ' || name AS about FROM violation
         WHERE fingerprint >= ? AND fingerprint < ? AND to_run IS NULL ORDER BY fingerprint LIMIT ?`,
      )
      .all(prefix, prefix + lastCharacter, mostNames),
}

/** By the index of resources: project by project, until there are enough. */
function readResources(db: Database.Database, prefix: string): readonly KnownName[] {
  const projects = db.prepare<[], number>('SELECT id FROM project').pluck().all()
  const read = db.prepare<[number, string, string, string, number], KnownName>(
    `SELECT uid AS value, kind || ' ' || name AS about FROM version
     WHERE project_id = ? AND kind = ? AND uid >= ? AND uid < ?
       AND from_run <= (SELECT max(number) FROM run WHERE state = 'committed') AND to_run IS NULL LIMIT ?`,
  )
  const found: KnownName[] = []
  const end = performance.now() + namesTimeoutMs
  for (const project of projects) {
    for (const kind of ['endpoint', 'subscription', 'source', 'event_type', 'project']) {
      found.push(...read.all(project, kind, prefix, prefix + lastCharacter, mostNames - found.length))
    }
    if (found.length >= mostNames || performance.now() > end) break
  }
  return found
}
