import { randomUUID } from 'node:crypto'
import type { PageRead } from '../../audit/audited-project.ts'
import type { Schedule } from '../../config/configuration.ts'
import type { PostgresServer } from '../../history/postgres-server.ts'
import { AuditError, messageOf } from '../../model/errors.ts'
import type { Report } from '../../model/report.ts'
import type { FailOn } from '../../model/violation.ts'
import { type Job, runQueue, touchEveryMs } from '../../pool/jobs.ts'
import { keepSlots, type SlotObserver } from '../../pool/keep-slots.ts'
import { openPool, type Pool } from '../../pool/open-pool.ts'
import { type RunKey, takeTick } from '../../pool/runs.ts'
import type { WalkResult } from '../../pool/walk-task.ts'
import { greet, leave, leaveForMs, type PoolWorker, refusals, refusalWords } from '../../pool/workers.ts'
import { keepSharedSchedule, type ReloadRequests, type WorkerObserver } from '../../worker/keep-schedule.ts'
import type { Agreement } from '../../worker/reload-files.ts'
import type { Log } from '../log.ts'
import type { ProcessContext } from '../process-context.ts'
import { systemClock, thisProcess } from '../system.ts'
import { type CoordinatorObserver, coordinateRun } from './coordinate-run.ts'
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
  readonly onTakenOver: () => void
  /** Called when this worker begins to coordinate a run, and when it no longer does. */
  readonly onCoordinating: (coordinates: boolean) => void
}

/** Opens the pool of a history. `mostSilenceMs`: see `ConnectOptions`. */
export function openPoolOf(server: PostgresServer, log: Log, mostSilenceMs: () => number): Promise<Pool> {
  const onError = (error: unknown) => log.warn({ error: messageOf(error) }, 'the jobs of the pool cannot be supervised')
  return openPool(server, thisProcess, { clock: systemClock, onError, mostSilenceMs })
}

/** How often an idle worker asks for a run to coordinate. */
const askEveryMs = 1_000

/**
 * Takes part in all runs of a history until the signal aborts: asks for those of the schedules, coordinates one at a
 * time, and walks projects in its slots.
 */
export async function shareRuns(pool: Pool, sharing: SharedRuns, signal: AbortSignal): Promise<void> {
  const { terminal, log, watch } = sharing
  const { files, agreement } = sharing
  const { slots, services: ownServices } = files.current().configuration.shared ?? { slots: 0, services: undefined }
  const self: PoolWorker = { id: randomUUID(), host: thisProcess.host, pid: thisProcess.pid, slots }
  const sites = openRunSites({ terminal, log, pool, files, agreement, onPage: sharing.onPage })
  const { every } = thisProcess
  let coordinates: number | undefined
  const sayHello = () => greet(pool.db, self, coordinates).catch(() => {})
  const stopGreeting = every(touchEveryMs, () => void sayHello())
  const coordinator: CoordinatorObserver = {
    ...watch,
    begun(run) {
      coordinates = run
      void sayHello()
    },
    ended(schedule, report) {
      coordinates = undefined
      void sayHello()
      return watch.ended(schedule, report)
    },
  }
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
        {
          ...pool,
          clock: systemClock,
          sites,
          slots,
          capOf,
          every,
          worker: self.id,
          onTakenOver: sharing.onTakenOver,
          watch: watch.slots,
        },
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
      pool,
      { schedule: name, dueAt: at, worker: self.id, id: randomUUID() },
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
      const [job] = await pool.jobs.fetch<RunKey>(runQueue, { most: 1, cap: 1 }).catch((error: unknown) => {
        watch.slots.unreachable(error)
        return []
      })
      let pauseMs = job === undefined ? askEveryMs : 0
      if (job !== undefined) {
        await coordinateOne(job, () => {
          pauseMs = leaveForMs
        })
      }
      if (pauseMs === 0) continue
      await systemClock.sleep(pauseMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    }
  }

  async function coordinateOne(job: Job<RunKey>, onLeft: () => void): Promise<void> {
    const handOver = new AbortController()
    sharing.onCoordinating(true)
    const giveUp = () => handOver.abort()
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    const stopTouching = every(touchEveryMs, () => {
      void pool.jobs
        .touch(runQueue, [job])
        .then((touched) => {
          // Another worker coordinates the run: this one was silent for too long.
          if (!touched.has(job.id)) giveUp()
        })
        .catch(() => {})
    })
    try {
      const dependencies = { terminal, log, pool, files, signal: handOver.signal, watch: coordinator, onLeft }
      await coordinateRun(job, dependencies)
    } finally {
      stopTouching()
      signal.removeEventListener('abort', giveUp)
      coordinates = undefined
      sharing.onCoordinating(false)
    }
  }
}

/** Called with what happens in a worker that shares runs. */
interface SharedObserver
  extends Pick<WorkerObserver<Report>, 'planned' | 'skipped'>,
    Omit<CoordinatorObserver, 'begun'> {
  readonly slots: SlotObserver
}

/** The name of runs that a person asked for, where those of schedules have one. */
const requestedRun = '(asked for)'

/** Notifies the observers of a worker's own runs of those that it coordinates, and logs what its slots do. */
export function watchShared(
  watch: WorkerObserver<Report>,
  { log, onSlot }: { readonly log: Log; readonly onSlot: SlotObserver },
): SharedObserver {
  // One line as long as the same trouble lasts.
  let trouble: string | undefined
  const noteTrouble = (error: unknown) => {
    if (trouble !== messageOf(error)) log.warn({ error: messageOf(error) }, 'the pool cannot be asked for work')
    trouble = messageOf(error)
  }
  // One line as long as this worker has the same wrong file.
  let differing: WalkResult | undefined
  const noteResult = (service: string, result: WalkResult) => {
    const refusal = refusals.find((one) => one === result)
    if (refusal !== undefined && refusal !== differing) {
      log.warn(
        { service, differs: refusalWords[refusal] },
        'left a project to other workers: not what its run began with',
      )
    }
    if (result === 'returned' || result === 'lost') log.info({ service, result }, 'a project was not scanned here')
    if (refusal !== undefined || result === 'walked') differing = refusal
  }
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
    slots: {
      begun(service) {
        trouble = undefined
        onSlot.begun(service)
      },
      ended(service, result) {
        noteResult(service, result)
        onSlot.ended(service, result)
      },
      failed(service, error) {
        const stack = error instanceof AuditError ? undefined : error instanceof Error ? error.stack : undefined
        log.error({ service, error: messageOf(error), stack }, 'a project could not be scanned: another worker tries')
        onSlot.failed(service, error)
      },
      unreachable(error) {
        noteTrouble(error)
        onSlot.unreachable(error)
      },
    },
  }
}
