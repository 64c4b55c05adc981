import { randomUUID } from 'node:crypto'
import type { PageRead } from '../../audit/audited-project.ts'
import type { Schedule } from '../../config/configuration.ts'
import type { PostgresServer } from '../../history/postgres-server.ts'
import { AuditError, messageOf } from '../../model/errors.ts'
import type { Report } from '../../model/report.ts'
import type { FailOn } from '../../model/violation.ts'
import type { Log } from '../log.ts'
import { keepSlots, type SlotObserver } from '../pool/keep-slots.ts'
import { openPool, type Pool } from '../pool/open-pool.ts'
import { takeTick } from '../pool/runs.ts'
import { greet, leave, type PoolWorker, type Refusal, refusalWords, touchEveryMs } from '../pool/workers.ts'
import type { ProcessContext } from '../process-context.ts'
import { systemClock, thisProcess } from '../system.ts'
import { keepSharedSchedule, type ReloadRequests, type WorkerObserver } from '../worker/keep-schedule.ts'
import type { Agreement } from '../worker/reload-files.ts'
import { type CoordinatorObserver, coordinateNext } from './coordinate-run.ts'
import { openRunSites } from './run-sites.ts'
import { openSealer, type SharedFiles } from './shared-files.ts'

interface SharedRuns {
  readonly terminal: ProcessContext
  readonly log: Log
  readonly files: SharedFiles
  readonly agreement: Agreement
  readonly reloads: ReloadRequests
  readonly failOn: FailOn
  readonly servedUntil: (schedule: Schedule) => number | undefined
  readonly onPage: (page: PageRead) => void
  readonly watch: SharedObserver
}

/** Opens the pool of a history. `mostSilenceMs`: see `ConnectOptions`. */
export function openPoolOf(server: PostgresServer, log: Log, mostSilenceMs: () => number): Promise<Pool> {
  const onError = (error: unknown) => log.warn({ error: messageOf(error) }, 'the jobs of the pool cannot be supervised')
  return openPool(server, thisProcess, { clock: systemClock, onError, mostSilenceMs })
}

/** When a worker asks again for a run to coordinate, in milliseconds. */
const pausesMs = { none: 1_000, ended: 0, later: 5_000 } as const

/**
 * Takes part in all runs of a history until the signal aborts: asks for those of the schedules, coordinates one at a
 * time, and walks projects in its slots.
 */
export async function shareRuns(pool: Pool, sharing: SharedRuns, signal: AbortSignal): Promise<void> {
  const { terminal, log, watch, files, agreement, onPage } = sharing
  const { slots, services: ownServices } = files.current().configuration.shared ?? { slots: 0, services: undefined }
  const self: PoolWorker = { id: randomUUID(), host: thisProcess.host, pid: thisProcess.pid, slots }
  const sites = openRunSites({ terminal, log, pool, files, agreement, onPage, onRefused: watch.leftOut })
  const { every } = thisProcess
  const sayHello = () => greet(pool.db, self).catch(() => {})
  const stopGreeting = every(touchEveryMs, () => void sayHello())
  const capOf = (service: string) =>
    ownServices !== undefined && !ownServices.includes(service)
      ? undefined
      : files.current().configuration.services.find(({ settings }) => settings.name === service)?.mostWalks
  try {
    await sayHello()
    await Promise.all([
      keepSharedSchedule(
        {
          clock: systemClock,
          random: Math.random,
          servedUntil: sharing.servedUntil,
          watch,
          schedules: files.current().configuration.schedules,
          reload: async () => (await files.reload()).configuration.schedules,
          reloads: sharing.reloads,
          ask: (schedule, at) => ask(schedule, at),
        },
        signal,
      ),
      keepCoordinating(),
      keepSlots(
        { ...pool, clock: systemClock, enter: sites.enter, slots, capOf, every, worker: self.id, watch: watch.slots },
        signal,
      ),
    ])
  } finally {
    stopGreeting()
    await sites.close()
    await leave(pool.db, self).catch(() => {})
  }

  async function ask({ name, projects: only, probes, runTimeoutMs }: Schedule, at: number) {
    const { configuration, policy } = files.current()
    const tick = await takeTick(
      pool.db,
      { schedule: name, dueAt: at },
      {
        schedule: name,
        configurationDigest: configuration.digest,
        policyDigest: policy.digest,
        only,
        sealKeyId: openSealer({ configuration }, terminal).keyId,
        failOn: sharing.failOn,
        runsProbes: probes,
        acceptsRemovals: false,
        notifies: true,
        runTimeoutMs,
      },
    )
    return tick === 'taken' ? undefined : tick
  }

  async function keepCoordinating(): Promise<void> {
    while (!signal.aborted) {
      const coordinated = await coordinateNext({ terminal, log, pool, files, worker: self.id, signal, watch }).catch(
        (error: unknown) => {
          watch.slots.unreachable(error)
          return 'none' as const
        },
      )
      await systemClock.sleep(pausesMs[coordinated], signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    }
  }
}

/** Called with what happens in a worker that shares runs. */
interface SharedObserver extends Pick<WorkerObserver<Report>, 'planned' | 'skipped'>, CoordinatorObserver {
  /** It takes no part in a run. */
  leftOut(differs: Refusal): void
  readonly slots: SlotObserver
}

/** The name of runs that a person asked for, where those of schedules have one. */
const requestedRun = '(asked for)'

/** What a worker counts of what it does for the pool. */
interface PoolCounts {
  tookOver(): void
  leftOut(differs: Refusal): void
  coordinating(is: boolean): void
}

/** Notifies the observers of a worker's own runs of those that it coordinates, and logs what its slots do. */
export function watchShared(
  watch: WorkerObserver<Report>,
  { log, counts }: { readonly log: Log; readonly counts: PoolCounts },
): SharedObserver {
  // One line as long as the same trouble lasts.
  let trouble: string | undefined
  const noteTrouble = (error: unknown) => {
    if (trouble !== messageOf(error)) log.warn({ error: messageOf(error) }, 'the pool cannot be asked for work')
    trouble = messageOf(error)
  }
  // One line for each run that it leaves to others.
  let refused: string | undefined
  return {
    planned: watch.planned,
    skipped: watch.skipped,
    started: (schedule) => watch.started(schedule ?? requestedRun),
    ended: (schedule, report) => watch.ended(schedule ?? requestedRun, report),
    failed(schedule, error) {
      // The server is away: no run ended with that, and one that could not be asked for is asked for again.
      if (error instanceof AuditError && error.isPassing) noteTrouble(error)
      else watch.failed(schedule ?? requestedRun, error)
    },
    coordinating: counts.coordinating,
    refused({ id, request: { schedule } }, differs) {
      const refusal = `${id} ${differs}`
      if (refused !== refusal)
        log.warn(
          { schedule, differs: refusalWords[differs] },
          'a run was asked for with other files than this worker has',
        )
      refused = refusal
    },
    leftOut(differs) {
      counts.leftOut(differs)
      log.warn(
        { differs: refusalWords[differs] },
        'left the projects of a run to other workers: not what it began with',
      )
    },
    slots: {
      begun(_, isTakenOver) {
        trouble = undefined
        if (isTakenOver) counts.tookOver()
      },
      ended(service, result) {
        if (result === 'returned' || result === 'lost') log.info({ service, result }, 'a project was not scanned here')
      },
      failed(service, error) {
        const stack = error instanceof AuditError ? undefined : error instanceof Error ? error.stack : undefined
        log.error({ service, error: messageOf(error), stack }, 'a project could not be scanned: another worker tries')
      },
      unreachable: noteTrouble,
    },
  }
}
