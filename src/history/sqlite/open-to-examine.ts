import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { asHistoryError } from './describe-damage.ts'
import { refuseForeign, refuseOtherSchema } from './open-database.ts'
import { openUnwritable } from './open-unwritable.ts'
import { refuseMissing, refuseSpecialFile } from './refuse-files.ts'

/**
 * Opens a history read-only, without an upgrade.
 * @throws AuditError.failure when the file is not a history, or has another schema than this program's
 */
export function openToExamine(file: string): Database.Database {
  return openOfSchema(file, refuseOtherSchema)
}

/**
 * Opens a history read-only, of the schema that `refuse` lets through. `open`: opens it in another way, where it can.
 * @throws AuditError.failure when the file is not a history, or `refuse` does
 */
export function openOfSchema(
  file: string,
  refuse: (db: Database.Database) => void,
  open: (file: string) => Database.Database | undefined = openUnwritable,
): Database.Database {
  refuseMissing(file)
  refuseSpecialFile(file)
  refuseDirectory(file)
  let db: Database.Database | undefined
  try {
    db = open(file) ?? new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 })
    refuseForeign(db)
    refuse(db)
    return db
  } catch (error) {
    db?.close()
    const described = asHistoryError(error, file)
    if (described instanceof AuditError) throw described
    // Not its damage, which is described: a backup would not help.
    throw AuditError.failure(`cannot open the history ${file}: ${reasonOf(error)}`, {
      advice: 'check the path and its permissions, or name another history',
      cause: error,
    })
  }
}

/** SQLite would call it an error of the disk. */
function refuseDirectory(file: string): void {
  if (!statSync(file).isDirectory()) return
  throw AuditError.failure(`cannot open the history ${file}: it is a directory`, { advice: 'name a file in it' })
}
