import Database from 'better-sqlite3'
import { type NameKind, namesOf, namesTimeoutMs, type ResourceName } from '../sql/read-names.ts'
import { refuseForeign, refuseOtherSchema } from './open-database.ts'
import { openUnwritable } from './open-unwritable.ts'
import { refuseMissing, refuseSpecialFile } from './refuse-files.ts'
import { SqliteDatabase } from './sqlite-database.ts'

/**
 * The names of one sort that begin with a text, for a person who waits. Reads only, and upgrades nothing.
 * Throws where there is no history of this program's schema.
 */
export async function readNames(file: string, what: NameKind, prefix: string): Promise<readonly ResourceName[]> {
  refuseMissing(file)
  refuseSpecialFile(file)
  const db =
    openUnwritable(file) ?? new Database(file, { readonly: true, fileMustExist: true, timeout: namesTimeoutMs })
  try {
    refuseForeign(db)
    refuseOtherSchema(db)
    return await namesOf(new SqliteDatabase(db), what, prefix)
  } finally {
    db.close()
  }
}
