import type { PostgresServer } from '../postgres-server.ts'
import { type NameKind, namesOf, namesTimeoutMs, type ResourceName } from '../sql/read-names.ts'
import { connect } from './connect.ts'
import { readSchemaState, refuseOtherSchema } from './migrate.ts'

/** A server may be far away. */
const connectTimeoutMs = 1000

/**
 * The names of one sort that begin with a text, for a person who waits. Reads only, and upgrades nothing.
 * Throws where there is no history of this program's schema.
 */
export async function readNames(
  server: PostgresServer,
  what: NameKind,
  prefix: string,
): Promise<readonly ResourceName[]> {
  const db = connect(server, { connections: 1, connectTimeoutMs })
  try {
    return await db.snapshot(async (transaction) => {
      await transaction.run(`SET LOCAL statement_timeout = ${namesTimeoutMs}`)
      refuseOtherSchema(db.displayName, await readSchemaState(transaction, db))
      return namesOf(transaction, what, prefix)
    })
  } finally {
    await db.close()
  }
}
