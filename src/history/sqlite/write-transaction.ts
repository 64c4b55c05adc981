import type { Database } from 'better-sqlite3'
import { refuseAltered } from './schema/refuse-altered.ts'
import { asHistoryError } from './tell-damage.ts'

/**
 * Writes all or nothing. Takes the write lock first, so that what is read inside is what will be written on.
 * @throws AuditError.failure when the file cannot be written or holds what hookdrift did not make, 5 when another process keeps it locked
 */
export function writeTransaction<Result>(db: Database, work: () => Result): Result {
  try {
    return db
      .transaction(() => {
        refuseAltered(db)
        return work()
      })
      .immediate()
  } catch (error) {
    throw asHistoryError(error, db.name)
  }
}
