import type { PageRead } from '../../audit/audited-project.ts'
import type { Schedule } from '../../config/configuration.ts'
import type { Report } from '../../model/report.ts'
import type { FailOn } from '../../model/violation.ts'
import { untilCrash } from '../end-in-order.ts'
import { requireServer } from '../locate-history.ts'
import type { Log } from '../log.ts'
import { lastCommittedRun, type PoolState, readPoolState } from '../pool/workers.ts'
import type { ProcessContext } from '../process-context.ts'
import { systemClock } from '../system.ts'
import type { ReloadRequests, WorkerObserver } from '../worker/keep-schedule.ts'
import type { Metrics } from '../worker/metrics.ts'
import { openPoolMetrics } from '../worker/pool-metrics.ts'
import type { RecordedPast } from '../worker/read-past.ts'
import { type WorkerFiles, watchAgreement } from '../worker/reload-files.ts'
import { openPoolOf, shareRuns, watchShared } from './share-runs.ts'
import { openSharedFiles } from './shared-files.ts'

interface SharingDependencies {
  readonly terminal: ProcessContext
  readonly log: Log
  readonly metrics: Metrics
  readonly failOn: FailOn
  readonly watch: WorkerObserver<Report>
  readonly readAgain: (before: WorkerFiles) => Promise<WorkerFiles>
  readonly reloads: ReloadRequests
  readonly readHistory: () => Promise<RecordedPast>
  /** Called when a run was committed, by any worker. */
  readonly onCommitted: () => void
  readonly onPage: (page: PageRead) => void
  /** Aborted when this worker stops. */
  readonly signal: AbortSignal
}

/** A worker of a pool, opened and not yet working. */
export interface OpenedSharing {
  /** Takes part in runs until the signal aborts. */
  keep(servedUntil: (schedule: Schedule) => number | undefined, signal: AbortSignal): Promise<void>
  /** Learns what runs of other workers came to; at most once in 15 s. */
  follow(): Promise<void>
  /** Why it is not ready, in words; empty if it is ready. */
  troubles(): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * How long the server may be silent: no longer than it may take to remove what a lost worker wrote of a large project.
 * Then its connection counts as dead, as a network or a proxy may leave it. When this worker stops, others go on.
 */
const silence = { workingMs: 60_000, stoppingMs: 5_000 }

/** How old what the metrics say of the pool may be. */
const cachedMs = 15_000

/** @throws AuditError as `requireServer`; AuditError.failure when the server cannot be used */
export async function openSharing(
  first: WorkerFiles,
  {
    terminal,
    log,
    metrics,
    failOn,
    watch,
    readAgain,
    reloads,
    readHistory,
    onCommitted,
    onPage,
    signal,
  }: SharingDependencies,
): Promise<OpenedSharing> {
  const mostSilenceMs = () => (signal.aborted ? silence.stoppingMs : silence.workingMs)
  const pool = await openPoolOf(requireServer(first.configuration.history), log, mostSilenceMs)
  const files = openSharedFiles(first, readAgain)
  const agreement = watchAgreement({
    now: systemClock.now,
    files: () => identify(files.current()),
    readFiles: async () => identify(await files.refresh()),
  })
  let coordinates = false
  let state: { readonly readAt: number; readonly poolState: Promise<PoolState | undefined> } | undefined
  const poolMetrics = openPoolMetrics({
    registry: metrics.registry,
    state() {
      const now = systemClock.now()
      if (state === undefined || now - state.readAt >= cachedMs) {
        state = { readAt: now, poolState: readPoolState(pool.db).catch(() => undefined) }
      }
      return state.poolState
    },
    held: () => new Map([...pool.gates.held()].map(([service, ms]) => [service, ms / 1000])),
    coordinates: () => coordinates,
  })
  let followedAt = Number.NEGATIVE_INFINITY
  let lastTick: number | null | undefined
  return {
    keep: (servedUntil, signal) =>
      untilCrash(signal, (signal) =>
        shareRuns(
          pool,
          {
            terminal,
            log,
            files,
            agreement,
            reloads,
            failOn,
            servedUntil,
            onPage,
            watch: watchShared(watch, {
              log,
              counts: {
                ...poolMetrics,
                coordinating(now) {
                  coordinates = now
                  if (!now) metrics.leftToOthers()
                },
              },
            }),
          },
          signal,
        ),
      ),
    async follow() {
      if (systemClock.now() - followedAt < cachedMs) return
      followedAt = systemClock.now()
      try {
        const last = await lastCommittedRun(pool.db)
        if (last === lastTick) return
        metrics.remember(await readHistory())
        if (lastTick !== undefined) onCommitted()
        lastTick = last
      } catch {
        // Readiness says that the history cannot be used; the gauges stay as they were.
      }
    },
    troubles: agreement.troubles,
    close: () => pool.close(),
  }
}

function identify({ configuration, policy }: WorkerFiles): string {
  return `${configuration.digest} ${policy.digest}`
}
