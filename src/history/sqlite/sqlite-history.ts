import { beginRun } from '../draft/run-draft.ts'
import type { History } from '../history.ts'
import { sqlReader } from '../reader.ts'
import { sqlAcceptances } from '../sql/acceptances.ts'
import { sqlApprovals } from '../sql/approvals.ts'
import { sqlNotes } from '../sql/notes.ts'
import { sqlOutbox } from '../sql/outbox.ts'
import { type LocalProcess, sqliteClaims } from './lease.ts'
import { refuseNetworkFileSystem } from './network-file-system.ts'
import { openDatabase } from './open-database.ts'
import { sqliteBackend } from './sqlite-backend.ts'
import { SqliteDatabase } from './sqlite-database.ts'

/**
 * Opens the history in one SQLite file.
 * @throws AuditError.failure when the file cannot be used
 */
export function openSqliteHistory(file: string, owner: LocalProcess): History {
  refuseNetworkFileSystem(file, owner.mounts?.())
  const db = openDatabase(file, new Date(owner.now()).toISOString(), { owner })
  const database = new SqliteDatabase(db)
  const backend = sqliteBackend(database, owner)
  return {
    ...sqlReader(database),
    ...sqlOutbox(backend, sqliteClaims(database, owner)),
    ...sqlApprovals(backend),
    ...sqlAcceptances(backend),
    ...sqlNotes(backend),
    close: () => database.close(),
    begin: (start) => beginRun(backend, start),
  }
}
