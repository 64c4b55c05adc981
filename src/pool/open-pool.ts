import { blockIds, type DraftIds } from '../history/draft/draft-ids.ts'
import { type AcquiredRun, acquireRun, RunDraft } from '../history/draft/run-draft.ts'
import { SqlScanDraft } from '../history/draft/scan-draft.ts'
import {
  type ConnectOptions,
  connect,
  type PostgresDatabase,
  type PostgresSession,
} from '../history/postgres/connect.ts'
import { type SharedProcess, successionMs } from '../history/postgres/lease.ts'
import { ensureSchema } from '../history/postgres/migrate.ts'
import { postgresBackend } from '../history/postgres/postgres-backend.ts'
import type { PostgresServer } from '../history/postgres-server.ts'
import type { Fence, HistoryBackend } from '../history/sql/backend.ts'
import type { RunStart } from '../history/staged.ts'
import { AuditError } from '../model/errors.ts'
import type { Clock } from '../model/time.ts'
import { createRateGate, type RateGate } from '../service/rate-gate.ts'
import { canHaveJobs, installJobs, type OpenJobs, openJobs } from './jobs.ts'
import { briefTransaction, type TaskKey } from './tasks.ts'
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

/** How old what is known of other workers may be. */
const refreshMs = 1_000

interface SharedGates {
  gateOf(service: string): RateGate
  /** Learns which services limit other workers, at most once a second. Never throws. */
  refresh(): Promise<void>
  /** Milliseconds for which each service is held, 0 excluded. */
  held(): ReadonlyMap<string, number>
}

/** Gates that close for all workers when one of them is answered 429: a service has one limit for all of them. */
export function openSharedGates(session: PostgresSession, clock: Clock): SharedGates {
  const gates = new Map<string, RateGate>()
  let refreshedAt = Number.NEGATIVE_INFINITY
  const localGate = (service: string) => {
    const gate = gates.get(service) ?? createRateGate(clock)
    gates.set(service, gate)
    return gate
  }
  return {
    gateOf(service) {
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
    async refresh() {
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
    held() {
      const waits = [...gates].map(([service, gate]) => [service, gate.waitMs()] as const)
      return new Map(waits.filter(([, ms]) => ms > 0))
    },
  }
}

/** The draft of a run to which other processes leave what their projects' drafts keep. */
export class SharedRunDraft extends RunDraft {
  constructor(backend: HistoryBackend, acquired: AcquiredRun, ids: DraftIds) {
    super(backend, acquired, ids)
    // Other processes insert rows of the run, too.
    this.writer.spoilDigests()
  }

  /** The run itself gives nothing up: whether another process can go on is decided by the error. */
  override async abandon(): Promise<void> {}

  /** Records the run as interrupted and removes its other rows. */
  giveUp(finishedAt: string): Promise<void> {
    return super.abandon(finishedAt)
  }
}

export interface RunDrafts {
  /** @throws AuditError.busy when another live run owns the lease */
  begin(start: RunStart): Promise<SharedRunDraft>
  /** Goes on with a run whose process was lost. @throws AuditError.busy as `begin`, and where the run has ended */
  adopt(run: number): Promise<SharedRunDraft>
  /** Drafts a project whose task this worker took. */
  ofTask(task: TaskKey & { readonly token: number }): SqlScanDraft
}

/** Drafts whose rows get ids that no other process of the run gives out. */
export function openDrafts(db: PostgresDatabase, owner: SharedProcess): RunDrafts {
  const backend = postgresBackend(db, owner)
  return {
    begin: async (start) => new SharedRunDraft(backend, await acquireRun(backend, start), blockIds(db)),
    async adopt(run) {
      const { lease } = postgresBackend(db, owner, { expiryMs: successionMs })
      const token = await briefTransaction(db, async (transaction) => {
        const token = await lease.take(transaction)
        // Another process may have closed it since it was read, and a later run may have linked that.
        const state = await transaction.value<string>('SELECT state FROM hookdrift.run WHERE number = $1', [run])
        if (state !== 'running') throw AuditError.busy(`run ${run} was ended by another process`)
        return token
      })
      return new SharedRunDraft(backend, { run, token, interrupted: [] }, blockIds(db))
    },
    ofTask({ run, projectId, token }) {
      return new SqlScanDraft(backend, { run, fence: taskFence({ run, projectId, token }), ids: blockIds(db) })
    },
  }
}

/** Of a project of a run, as long as the worker with this token has its task. */
function taskFence({ run, projectId, token }: Omit<TaskKey, 'service'> & { readonly token: number }): Fence {
  return {
    sql: (at) =>
      `SELECT 1 FROM hookdrift.task WHERE run = $${at} AND project_id = $${at + 1} AND token = $${at + 2} AND state = 'running'`,
    values: [run, projectId, token],
  }
}
