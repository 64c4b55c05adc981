import { beginRun } from '../draft/begin-run.ts'
import type { History } from '../history.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { sqlAcceptances } from '../sql/acceptances.ts'
import { sqlApprovals } from '../sql/approvals.ts'
import { sqlNotes } from '../sql/notes.ts'
import { sqlOutbox } from '../sql/outbox.ts'
import { sqlReader } from '../sql/sql-reader.ts'
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
  const backend = postgresBackend(db, owner)
  return {
    ...sqlReader(db),
    ...sqlOutbox(backend, postgresClaims(db, owner)),
    ...sqlApprovals(backend),
    ...sqlAcceptances(backend),
    ...sqlNotes(backend),
    begin: (start) => beginRun(backend, start),
    close: () => db.close(),
  }
}
