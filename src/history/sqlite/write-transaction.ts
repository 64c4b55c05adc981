import type { Database } from 'better-sqlite3'
import { asHistoryError } from './describe-damage.ts'
import { refuseAltered } from './schema/refuse-altered.ts'

/**
 * Writes all or nothing. Takes the write lock first, so that no other process writes between its reads and writes.
 * @throws AuditError.failure when the file cannot be written or its schema was altered
 * @throws AuditError.busy when another process keeps the file locked
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
