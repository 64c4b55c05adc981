import { beginRun } from '../draft/begin-run.ts'
import type { History } from '../history.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { sqlAcceptances } from '../sql/acceptances.ts'
import { sqlApprovals } from '../sql/approvals.ts'
import { sqlOutbox } from '../sql/outbox.ts'
import { sqlReader } from '../sql/sql-reader.ts'
import { postgresClaims } from './channel-claims.ts'
import { type ConnectOptions, connect } from './connect.ts'
import { type SharedProcess, sureWriter } from './lease.ts'
import { ensureSchema } from './migrate.ts'
import { postgresDraftBackend } from './postgres-draft-backend.ts'

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
  const writer = sureWriter(db, owner)
  return {
    ...sqlReader(db),
    ...sqlOutbox(db, writer, postgresClaims(db, owner)),
    ...sqlApprovals(db, writer),
    ...sqlAcceptances(db, writer),
    begin: (start) => beginRun(postgresDraftBackend(db, owner), start),
    close: () => db.close(),
  }
}
