import Database from 'better-sqlite3'
import type { LeaseOwner } from '../lease-owner.ts'
import { sqlHistory } from '../sql-history.ts'
import { sqliteClaims } from './lease.ts'
import { migrate } from './migrate.ts'
import { migrationsDirectory } from './schema.ts'
import { sqliteBackend } from './sqlite-backend.ts'
import { SqliteDatabase } from './sqlite-database.ts'

/** An empty history of which nothing is ever in a file, for runs that are replayed. It ends with its process. */
export function historyInMemory() {
  const connection = new Database(':memory:')
  connection.pragma('temp_store = MEMORY')
  migrate(connection, { directory: migrationsDirectory, now: '', warn: () => {} })
  const db = new SqliteDatabase(connection, 'the history in memory')
  return { ...sqlHistory(sqliteBackend(db, alone), sqliteClaims(db, alone)), db }
}

/** There is no other process. */
const alone: LeaseOwner = {
  host: '',
  bootId: '',
  pid: 0,
  isAlive: () => false,
  // Long after any lease that was given back.
  now: () => Date.UTC(2000),
  every: () => () => {},
}
