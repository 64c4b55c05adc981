import type { History } from '../history.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { sqlHistory } from '../sql-history.ts'
import { type ConnectOptions, connect } from './connect.ts'
import { postgresClaims, type SharedProcess } from './lease.ts'
import { ensureSchema } from './migrate.ts'
import { postgresBackend } from './postgres-backend.ts'

/**
 * Opens the history in one schema of a PostgreSQL database, and creates it where there is none.
 * @throws AuditError.failure when it cannot be used
 */
export async function openPostgresHistory(
  server: PostgresServer,
  owner: SharedProcess,
  options: ConnectOptions = {},
): Promise<History> {
  const db = connect(server, options)
  try {
    await ensureSchema(db, new Date(owner.now()).toISOString())
  } catch (error) {
    await db.close()
    throw error
  }
  return sqlHistory(postgresBackend(db, owner), postgresClaims(db, owner))
}

/**
 * A text that changes when another history takes the place of this one, or this one is upgraded.
 * @throws AuditError.failure when there is none, or it cannot be used
 */
export async function identifyHistory(server: PostgresServer): Promise<string> {
  const db = connect(server, { connections: 1 })
  try {
    const identity = await db.get(
      `SELECT (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database,
         (SELECT max(version) FROM hookdrift.migration) AS schema,
         (SELECT started_at FROM hookdrift.run ORDER BY number LIMIT 1) AS began`,
    )
    return JSON.stringify([db.displayName, identity])
  } finally {
    await db.close()
  }
}
