import { AuditError } from '../../model/errors.ts'
import { type PostgresServer, shownServer } from '../postgres-server.ts'
import { connect } from './connect.ts'
import { readSchemaState } from './migrate.ts'

/** @throws AuditError.failure when the database has no history, or cannot be used */
export async function refuseMissing(server: PostgresServer): Promise<void> {
  const db = connect(server, { connections: 1 })
  try {
    const { has } = await readSchemaState(db, db.schema)
    if (has > 0) return
  } finally {
    await db.close()
  }
  throw AuditError.failure(`there is no history at ${shownServer(server)}`, {
    advice: 'run an audit first, or name another history',
  })
}
