import { beginRun } from '../draft/begin-run.ts'
import type { History } from '../history.ts'
import { sqlAcceptances } from '../sql/acceptances.ts'
import { sqlApprovals } from '../sql/approvals.ts'
import { sqlOutbox } from '../sql/outbox.ts'
import { sqlReader } from '../sql/sql-reader.ts'
import type { SureWriter } from '../sql/sure-writer.ts'
import { sqliteClaims } from './channel-claims.ts'
import { describingDamage } from './describe-damage.ts'
import { type LocalProcess, readLease } from './lease.ts'
import { refuseNetworkFileSystem } from './network-file-system.ts'
import { openDatabase } from './open-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { sqliteDraftBackend } from './sqlite-draft-backend.ts'

/**
 * Opens the history in one SQLite file.
 * @throws AuditError.failure when the file cannot be used
 */
export function openSqliteHistory(file: string, owner: LocalProcess): History {
  refuseNetworkFileSystem(file, owner.mounts?.())
  const db = openDatabase(file, new Date(owner.now()).toISOString(), { owner })
  const database = new SqliteDatabase(db)
  // A commit to a file is answered.
  const writer: SureWriter = {
    writeSurely: ({ work }) => database.transaction(work),
    writeBetweenRuns: ({ work }) =>
      database.transaction((transaction) => {
        readLease(db, owner)
        return work(transaction)
      }),
  }
  const history: History = {
    ...sqlReader(database),
    ...sqlOutbox(database, writer, sqliteClaims(database, owner)),
    ...sqlApprovals(database, writer),
    ...sqlAcceptances(database, writer),
    begin: async (start) => describingDamage(await beginRun(sqliteDraftBackend(database, owner), start), file),
  }
  return describingDamage(history, file)
}
