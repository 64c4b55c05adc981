import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { outsideCauses } from '../is-history-fault.ts'
import { refuseAltered } from './schema/refuse-altered.ts'

/**
 * Writes all or nothing. Takes the write lock first, so that what is read inside is what will be written on.
 * @throws AuditError.failure when the file cannot be written or holds what hookdrift did not make, 5 when another process keeps it locked
 */
export function writeTransaction<Result>(db: Database.Database, work: () => Result): Result {
  try {
    return db
      .transaction(() => {
        refuseAltered(db)
        return work()
      })
      .immediate()
  } catch (error) {
    throw asAuditError(error, db.name)
  }
}

function asAuditError(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError) || !outsideCauses.test(error.code)) return error
  if (error.code.startsWith('SQLITE_BUSY')) {
    return AuditError.busy(`another process keeps the history ${file} locked`, {
      advice: 'wait for it to end, then run again',
      cause: error,
    })
  }
  return AuditError.failure(`cannot write to the history ${file}: ${error.message}`, {
    advice: 'check the free space and the permissions there; `hookdrift verify` examines the file',
    cause: error,
  })
}
