import type { History } from '../history.ts'
import { sqlHistory } from '../sql-history.ts'
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
  return sqlHistory(sqliteBackend(database, owner), sqliteClaims(database, owner))
}
