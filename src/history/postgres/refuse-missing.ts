import { AuditError } from '../../model/errors.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { connect, type PostgresDatabase } from './connect.ts'
import { readSchemaState, refuseOtherSchema } from './migrate.ts'

/** @throws AuditError.failure when the database has no history of this program's schema, or cannot be used */
export async function refuseMissing(server: PostgresServer): Promise<void> {
  const db = connect(server, { connections: 1 })
  try {
    await requireHistory(db)
  } finally {
    await db.close()
  }
}

/** @throws AuditError.failure when there is no history of this program's schema */
export async function requireHistory(db: PostgresDatabase): Promise<void> {
  const state = await readSchemaState(db, db)
  if (state.has === 0) {
    throw AuditError.failure(`there is no history at ${db.shown}`, {
      advice: 'run an audit first, or name another history',
    })
  }
  refuseOtherSchema(db.shown, state)
}
