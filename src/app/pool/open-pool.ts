import { createRateGate, type RateGate } from '../../gateway/service/rate-gate.ts'
import { acquireRun, RunDraft } from '../../history/draft/run-draft.ts'
import type { BegunRun } from '../../history/draft/scan-draft.ts'
import {
  type ConnectOptions,
  connect,
  type PostgresDatabase,
  type PostgresSession,
} from '../../history/postgres/connect.ts'
import { type SharedProcess, successionMs } from '../../history/postgres/lease.ts'
import { ensureSchema } from '../../history/postgres/migrate.ts'
import { postgresBackend } from '../../history/postgres/postgres-backend.ts'
import type { PostgresServer } from '../../history/postgres-server.ts'
import type { RunStart } from '../../history/staged.ts'
import { AuditError } from '../../model/errors.ts'
import type { Clock } from '../../model/time.ts'
import { canHaveJobs, installJobs, openJobs } from './jobs.ts'
import { briefTransaction } from './tasks.ts'
import { type PoolState, readPoolState } from './workers.ts'

/** What the workers of a history share. */
export type Pool = Awaited<ReturnType<typeof openPool>>

/** Makes what workers share besides the history, or upgrades it. @throws AuditError.failure when it cannot */
export function installPool(server: PostgresServer): Promise<void> {
  // Who does not share runs needs no jobs.
  return connected(server, async (db) => void (canHaveJobs(db) && (await installJobs(db))))
}

/** What the workers of a history do. @throws AuditError.failure when the server cannot be used */
export function readPool(server: PostgresServer): Promise<PoolState> {
  return connected(server, readPoolState)
}

async function connected<Result>(
  server: PostgresServer,
  work: (db: PostgresDatabase) => Promise<Result>,
): Promise<Result> {
  const db = connect(server)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

interface PoolOptions extends Pick<ConnectOptions, 'mostSilenceMs'> {
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
) {
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

/** How old what is known of other workers may be. */
const refreshMs = 1_000

/** Gates that close for all workers when one of them is answered 429: a service has one limit for all of them. */
export function openSharedGates(session: PostgresSession, clock: Clock) {
  const gates = new Map<string, RateGate>()
  let refreshedAt = Number.NEGATIVE_INFINITY
  const localGate = (service: string) => {
    const gate = gates.get(service) ?? createRateGate(clock)
    gates.set(service, gate)
    return gate
  }
  return {
    gateOf(service: string): RateGate {
      const gate = localGate(service)
      return {
        waitMs: gate.waitMs,
        holdFor(ms) {
          gate.holdFor(ms)
          // Where the server does not take it, the other workers meet the limit by themselves.
          session
            .run(
              `INSERT INTO hookdrift.service_gate AS g (service, opens_at)
               VALUES ($1, clock_timestamp() + make_interval(secs => $2::float8 / 1000))
               ON CONFLICT (service) DO UPDATE SET opens_at = greatest(g.opens_at, excluded.opens_at)`,
              [service, ms],
            )
            .catch(() => {})
        },
      }
    },
    /** Learns which services limit other workers, at most once a second. Never throws. */
    async refresh(): Promise<void> {
      if (clock.now() - refreshedAt < refreshMs) return
      refreshedAt = clock.now()
      const held = await session
        .all<{ service: string; ms: number }>(
          `SELECT service, (extract(epoch FROM opens_at - clock_timestamp()) * 1000)::float8 AS ms
           FROM hookdrift.service_gate WHERE opens_at > clock_timestamp()`,
        )
        .catch(() => [])
      for (const { service, ms } of held) localGate(service).holdFor(ms)
    },
    /** Milliseconds for which each service is held, 0 excluded. */
    held(): ReadonlyMap<string, number> {
      const waits = [...gates].map(([service, gate]) => [service, gate.waitMs()] as const)
      return new Map(waits.filter(([, ms]) => ms > 0))
    },
  }
}

/** The draft of a run to which other processes leave what they drafted of projects. */
export class SharedRunDraft extends RunDraft {
  /** After an error from outside, the run is left to another process. */
  override async abandon(finishedAt: string, error?: unknown): Promise<void> {
    if (error instanceof AuditError && error.kind === 'failure') await this.release().catch(() => {})
    else await super.abandon(finishedAt)
  }
}

export type RunDrafts = ReturnType<typeof openDrafts>

export function openDrafts(db: PostgresDatabase, owner: SharedProcess) {
  const backend = postgresBackend(db, owner)
  return {
    /** @throws AuditError.busy when another live run owns the lease */
    begin: async (start: RunStart) => new SharedRunDraft(backend, await acquireRun(backend, start)),
    /** Goes on with a run whose process was lost. @throws AuditError.busy as `begin`, and where the run has ended */
    async adopt(run: number): Promise<SharedRunDraft> {
      const { lease } = postgresBackend(db, owner, { expiryMs: successionMs })
      const acquired = await briefTransaction(db, async (transaction) => {
        const token = await lease.take(transaction)
        const begun = await transaction.get<BegunRun & { readonly state: string }>(
          'SELECT number AS run, state, started_at AS "startedAt", seal_key_id AS "sealKeyId" FROM hookdrift.run WHERE number = $1',
          [run],
        )
        // Another process may have closed it since it was read, and a later run may have linked that.
        if (begun?.state !== 'running') throw AuditError.busy(`run ${run} was ended by another process`)
        return { ...begun, token, interrupted: [] }
      })
      return new SharedRunDraft(backend, acquired)
    },
  }
}
