import type { History } from '../history.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { type ConnectOptions, connect } from './connect.ts'
import { beginRun } from './draft/begin-run.ts'
import type { SharedProcess } from './lease.ts'
import { ensureSchema } from './migrate.ts'
import { postgresAcceptances } from './postgres-acceptances.ts'
import { postgresApprovals } from './postgres-approvals.ts'
import { postgresOutbox } from './postgres-outbox.ts'
import { postgresReader } from './postgres-reader.ts'

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
  return {
    ...postgresReader(db),
    ...postgresOutbox(db, owner),
    ...postgresApprovals(db, owner),
    ...postgresAcceptances(db, owner),
    begin: (start) => beginRun(db, owner, start),
    close: () => db.close(),
  }
}
