import type { HistoryContent, HistoryExamination, ServerExamination } from '../examination.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { moveIn } from '../sql/runs.ts'
import type { Verification } from '../upkeep.ts'
import { connect, type PostgresDatabase, type PostgresSession } from './connect.ts'
import { readSchemaState, type SchemaState } from './migrate.ts'
import { sizeOf } from './postgres-upkeep.ts'

/**
 * Examines the history in a database without changing anything; there may be none. `verify` verifies it.
 * @throws AuditError.failure when the database cannot be used
 */
export async function examineDatabase(
  server: PostgresServer,
  verify: () => Promise<Verification>,
): Promise<HistoryExamination> {
  const db = connect(server, { connections: 1 })
  try {
    const state = await readSchemaState(db, db)
    const exists = state.has > 0
    return {
      exists,
      isReadableByOthers: false,
      isLocal: false,
      freeBytes: undefined,
      isWritable: await isWritable(db, exists),
      server: await readServer(db),
      content: exists ? await readContent(db, state, verify) : undefined,
    }
  } finally {
    await db.close()
  }
}

/** Whether this user may write all tables, or make them. A replica cannot be written to. */
async function isWritable(db: PostgresDatabase, exists: boolean): Promise<boolean> {
  const writes = `(SELECT bool_and(has_table_privilege(oid, privilege)) FROM pg_class,
    unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
    WHERE relnamespace = to_regnamespace($1) AND relkind = 'r')`
  const makes = `(CASE WHEN to_regnamespace($1) IS NULL THEN has_database_privilege(current_database(), 'CREATE')
    ELSE has_schema_privilege(to_regnamespace($1), 'CREATE') END)`
  const may = await db.value<boolean | null>(
    `SELECT NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off'
       AND ${exists ? writes : makes}`,
    [db.schema],
  )
  return may === true
}

async function readServer(session: PostgresSession): Promise<ServerExamination> {
  const found = await session.get<{ version: string; tls: string | null }>(
    `SELECT current_setting('server_version') AS version,
       (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls`,
  )
  const [number = ''] = found?.version.split(' ') ?? []
  return { version: `PostgreSQL ${number}`, tls: found?.tls ?? undefined }
}

async function readContent(
  db: PostgresDatabase,
  { has, knows }: SchemaState,
  verify: () => Promise<Verification>,
): Promise<HistoryContent> {
  const bytes = await sizeOf(db, db.schema)
  const runs = has === knows ? { ...(await readRuns(db)), verification: await verify() } : unread
  return { schema: has, knownSchema: knows, bytes, ...runs }
}

const unread = { committedRuns: 0, moved: undefined, sealKeyId: undefined, verification: undefined }

async function readRuns(
  session: PostgresSession,
): Promise<Pick<HistoryContent, 'committedRuns' | 'sealKeyId' | 'moved'>> {
  const found = await session.get<{ count: number; key: string | null }>(
    `SELECT (SELECT count(*) FROM hookdrift.run WHERE state = 'committed') AS count,
       (SELECT seal_key_id FROM hookdrift.run WHERE state = 'committed' ORDER BY number DESC LIMIT 1) AS key`,
  )
  return { committedRuns: found?.count ?? 0, sealKeyId: found?.key ?? undefined, moved: await moveIn(session) }
}
