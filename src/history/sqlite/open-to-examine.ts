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
  refuseMissing(file)
  refuseSpecialFile(file)
  let db: Database.Database | undefined
  try {
    db = openUnwritable(file) ?? new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 })
    refuseForeign(db)
    refuseOtherSchema(db)
    return db
  } catch (error) {
    db?.close()
    const described = asHistoryError(error, file)
    if (described instanceof AuditError) throw described
    throw AuditError.failure(`cannot open the history ${file}: ${reasonOf(error)}`, {
      advice: 'the file is damaged or not a history: restore a backup, see `hookdrift docs keep-the-history`',
      cause: error,
    })
  }
}
