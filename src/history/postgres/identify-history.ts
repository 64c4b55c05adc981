import type { PostgresServer } from '../postgres-server.ts'
import { connect } from './connect.ts'

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
    return JSON.stringify([db.shown, identity])
  } finally {
    await db.close()
  }
}
