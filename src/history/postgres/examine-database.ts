import type { HistoryContent, HistoryExamination, ServerExamination } from '../examination.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { goneChannelsIn } from '../sql/outbox.ts'
import { moveIn } from '../sql/runs.ts'
import type { HistorySize, Verification } from '../upkeep.ts'
import { connect, type PostgresDatabase, type PostgresSession, upkeepPatience } from './connect.ts'
import { readSchemaState, type SchemaState } from './migrate.ts'

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

/** What a history takes on its server; what is free there is unknown. */
export async function spaceOfDatabase(server: PostgresServer): Promise<HistorySize> {
  const db = connect(server, upkeepPatience)
  try {
    return { bytes: await sizeOf(db, db.schema), freeBytes: undefined }
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
  const row = await session.get<{ version: string; tls: string | null }>(
    `SELECT current_setting('server_version') AS version,
       (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls`,
  )
  const [number = ''] = row?.version.split(' ') ?? []
  return { version: `PostgreSQL ${number}`, tls: row?.tls ?? undefined }
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

/** Bytes that the tables and indexes of a schema take; 0 without one. */
async function sizeOf(session: PostgresSession, schema: string): Promise<number> {
  const bytes = await session.value<number>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
     WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'`,
    [schema],
  )
  return bytes ?? 0
}

const unread = { committedRuns: 0, moved: undefined, sealKeyId: undefined, goneChannels: [], verification: undefined }

async function readRuns(
  session: PostgresSession,
): Promise<Pick<HistoryContent, 'committedRuns' | 'sealKeyId' | 'moved' | 'goneChannels'>> {
  const row = await session.get<{ count: number; key: string | null }>(
    `SELECT (SELECT count(*) FROM hookdrift.run WHERE state = 'committed') AS count,
       (SELECT seal_key_id FROM hookdrift.run WHERE state = 'committed' ORDER BY number DESC LIMIT 1) AS key`,
  )
  return {
    committedRuns: row?.count ?? 0,
    sealKeyId: row?.key ?? undefined,
    moved: await moveIn(session),
    goneChannels: await goneChannelsIn(session),
  }
}
