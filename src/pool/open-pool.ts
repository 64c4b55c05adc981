import { type ConnectOptions, connect, type PostgresDatabase } from '../history/postgres/connect.ts'
import type { SharedProcess } from '../history/postgres/lease.ts'
import { ensureSchema } from '../history/postgres/migrate.ts'
import type { PostgresServer } from '../history/postgres-server.ts'
import type { Clock } from '../model/time.ts'
import { openDrafts, type RunDrafts } from './drafts.ts'
import { canHaveJobs, installJobs, type OpenJobs, openJobs } from './jobs.ts'
import { openSharedGates, type SharedGates } from './shared-gates.ts'
import { type PoolState, readPoolState } from './workers.ts'

/** What the workers of a history share. */
export interface Pool {
  readonly db: PostgresDatabase
  readonly jobs: OpenJobs
  readonly drafts: RunDrafts
  readonly gates: SharedGates
  close(): Promise<void>
}

/** Makes what workers share besides the history, or upgrades it. @throws AuditError.failure when it cannot */
export async function installPool(server: PostgresServer): Promise<void> {
  const db = connect(server)
  try {
    // Who does not share runs needs no jobs.
    if (canHaveJobs(db)) await installJobs(db)
  } finally {
    await db.close()
  }
}

/** What the workers of a history do. @throws AuditError.failure when the server cannot be used */
export async function readPool(server: PostgresServer): Promise<PoolState> {
  const db = connect(server)
  try {
    return await readPoolState(db)
  } finally {
    await db.close()
  }
}

export interface PoolOptions extends Pick<ConnectOptions, 'mostSilenceMs'> {
  readonly clock: Clock
  /** Called for what fails in the background. */
  readonly onError: (error: unknown) => void
}

/** A worker is soon taken for dead: no use in waiting longer for a server that cannot be reached. */
const connectTimeoutMs = 5_000

/**
 * Opens the pool of a history, and makes both where they are missing.
 * @throws AuditError.failure when the server cannot be used, or has another schema
 */
export async function openPool(
  server: PostgresServer,
  owner: SharedProcess,
  { clock, onError, ...patience }: PoolOptions,
): Promise<Pool> {
  const db = connect(server, { ...patience, connectTimeoutMs })
  try {
    await ensureSchema(db, new Date(owner.now()).toISOString())
    const jobs = await openJobs(db, onError)
    return {
      db,
      jobs,
      drafts: openDrafts(db, owner),
      gates: openSharedGates(db, clock),
      async close() {
        await jobs.close()
        await db.close()
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}
