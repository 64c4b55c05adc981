import { setTimeout as sleep } from 'node:timers/promises'
import { auditTogether } from '../../src/app/pool/audit-together.ts'
import { type Job, openJobs } from '../../src/app/pool/jobs.ts'
import { keepSlots, type RunSite, type SlotDependencies } from '../../src/app/pool/keep-slots.ts'
import { openDrafts } from '../../src/app/pool/open-pool.ts'
import { endRun, readRequestedRun, requestRun, takeRun, type WalkedRun } from '../../src/app/pool/runs.ts'
import { readLastWritten } from '../../src/audit/newer-settings.ts'
import type { Audit, AuditDependencies } from '../../src/audit/run-audit.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import type { SharedProcess } from '../../src/history/postgres/lease.ts'
import { openPostgresHistory } from '../../src/history/postgres/postgres-history.ts'
import type { PostgresServer } from '../../src/history/postgres-server.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { Report } from '../../src/model/report.ts'
import type { Clock } from '../../src/model/time.ts'
import { pausable } from './pausable.ts'

/** The real clock, whose sleepers wake up when there is something to do: idle workers ask seldom, and none waits long. */
function wakingClock() {
  let wakeUp = new AbortController()
  const clock: Clock = {
    now: () => Date.now(),
    async sleep(ms, signal) {
      const woken = wakeUp.signal
      await sleep(ms, undefined, { signal: signal === undefined ? woken : AbortSignal.any([signal, woken]) }).catch(
        (error) => {
          if (!woken.aborted || signal?.aborted) throw error
        },
      )
    },
  }
  return {
    clock,
    wake() {
      wakeUp.abort()
      wakeUp = new AbortController()
    },
  }
}

/** Of a worker; the slots of one share them. */
const connections = 4

const every: SlotDependencies['every'] = (ms, call) => {
  const timer = setInterval(call, ms)
  return () => clearInterval(timer)
}

export interface PoolWorkerInTest {
  readonly id: string
  /** Projects that it walks. */
  busy(): number
  /** Jobs of the run under way that it was given, also those that others have by now. */
  given(): readonly Job[]
  /** Its statements wait from now on, as those of a paused process do. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Workers that share the runs of a history in this process. */
export function openPoolHarness(
  server: PostgresServer,
  { walks = 2, unclaimedAfterMs }: { readonly walks?: number; readonly unclaimedAfterMs?: number } = {},
) {
  let made = 0
  let asked = 0
  const faults: unknown[] = []
  const events: string[] = []
  const unclaimed: (readonly [service: string, reason: string])[] = []
  const { clock, wake } = wakingClock()
  const closes: (() => Promise<void>)[] = []
  /** Called when a run begins. */
  const beginnings: (() => void)[] = []
  /** The run under way: what the files of all workers say. */
  let current: { readonly audit: Audit; readonly dependencies: AuditDependencies } | undefined

  const ownerOf = (pid: number): SharedProcess => ({
    host: 'host-1',
    bootId: 'boot',
    pid,
    isAlive: () => true,
    now: () => Date.now(),
    every,
  })

  async function join({ supervises = false } = {}) {
    made += 1
    const whole = connect(server, { connections })
    const { db, ...control } = pausable(whole)
    const jobs = await openJobs(db, (error) => faults.push(error), { supervises })
    closes.push(async () => {
      control.resume()
      await jobs.close()
      await whole.close()
    })
    return { db, jobs, control, id: `worker-${made}`, owner: ownerOf(made) }
  }

  const site = (run: WalkedRun): RunSite => {
    if (current === undefined) throw new Error('no run is under way')
    const { audit, dependencies } = current
    return {
      run,
      policy: audit.policy,
      runsProbes: audit.runsProbes ?? true,
      acceptsRemovals: audit.acceptsRemovals,
      sealer: dependencies.sealer,
      onPage: () => {},
      signal: new AbortController().signal,
      onBug: (_, error) => faults.push(error),
      lastWritten: readLastWritten(dependencies.history),
      open({ ref }) {
        const project = audit.projects.find((each) => each.ref.name === ref.name)
        if (project === undefined) throw new Error(`${ref.name} is not in the run`)
        return project
      },
    }
  }

  /** `services`: those that it takes; default: all. */
  async function startWorker({ services }: { readonly services?: readonly string[] } = {}): Promise<PoolWorkerInTest> {
    const { db, jobs, control, id } = await join()
    const capOf = (service: string) => (services === undefined || services.includes(service) ? walks : undefined)
    const stop = new AbortController()
    let busy = 0
    const given: Job[] = []
    beginnings.push(() => void given.splice(0))
    const fetch: typeof jobs.fetch = async (...from) => {
      const fetched = await jobs.fetch(...from)
      given.push(...fetched)
      return fetched
    }
    const working = keepSlots(
      {
        db,
        jobs: { ...jobs, fetch },
        worker: id,
        clock,
        every,
        slots: 4,
        capOf,
        enter: async (run) => site(run),
        watch: {
          begun: (_, isTakenOver) => {
            busy += 1
            if (isTakenOver) events.push(`${id} takes over`)
          },
          ended: (service, result) => {
            busy -= 1
            // The last one that is done lets the coordinator go on.
            wake()
            events.push(`${id} ${service} ${result}`)
          },
          failed: (_, error) => {
            busy -= 1
            faults.push(error)
          },
          unreachable: (error) => faults.push(error),
        },
      },
      stop.signal,
    )
    return {
      ...control,
      id,
      busy: () => busy,
      given: () => given,
      async stop() {
        stop.abort()
        await working
      },
    }
  }

  let coordinator: ReturnType<typeof join> | undefined

  /** One run as its coordinator does it, in place of `runAudit`. */
  async function conduct(audit: Audit, dependencies: AuditDependencies): Promise<Report> {
    current = { audit, dependencies }
    for (const begin of beginnings) begin()
    coordinator ??= join({ supervises: true })
    const { db, jobs, owner, id: worker } = await coordinator
    asked += 1
    const id = `run-${asked}`
    const { runsProbes = true, acceptsRemovals, isWholeFleet, lists = [], failOn, scope } = audit
    const request = {
      schedule: null,
      configurationDigest: '',
      policyDigest: '',
      sealKeyId: '',
      only: [],
      notifies: true,
      failOn,
      runsProbes,
      acceptsRemovals,
      runTimeoutMs: 300_000,
    }
    await requestRun(db, request, id)
    await takeRun(db, { id, coordinator: null }, worker)
    const drafts = openDrafts(db, owner)
    const handOver = new AbortController().signal
    const plan = { lists, isWholeFleet, areAll: true, scope }
    let isPlanned = false
    const waiting: Clock = {
      ...clock,
      sleep(ms, signal) {
        // The coordinator begins to wait when there are tasks.
        if (!isPlanned) wake()
        isPlanned = true
        return clock.sleep(ms, signal)
      },
    }
    try {
      const coordinating = {
        db,
        jobs,
        worker,
        clock: waiting,
        handOver,
        drafts,
        unclaimedAfterMs,
        onUnclaimed: (service: string, reason: string) => unclaimed.push([service, reason]),
      }
      for (let attempt = 1; ; attempt += 1) {
        try {
          // The next coordinator goes on where this one was.
          const requested = await readRequestedRun(db, id)
          if (requested === undefined) throw new Error('the run is not there')
          return await auditTogether(audit, { ...requested, plan }, coordinating, dependencies)
        } catch (error) {
          if (attempt === 100 || !(error instanceof AuditError) || error.kind === 'usage') throw error
          await sleep(200)
        }
      }
    } finally {
      await endRun(db, id, null)
    }
  }

  return {
    faults,
    events,
    unclaimed,
    startWorker,
    conduct,
    openHistory: () => openPostgresHistory(server, ownerOf(999)),
    async [Symbol.asyncDispose]() {
      for (const close of closes) await close()
    },
  }
}

/**
 * Has the work of some workers given to others, as it is after ten seconds of silence, and without a pause; also work
 * that was fetched and not begun.
 */
export function openLosses(server: PostgresServer) {
  const db = connect(server, { connections: 1 })
  const jobs = openJobs(db, () => {}, { supervises: false })
  const lost = new Set<string>()
  return {
    async lose(workers: readonly PoolWorkerInTest[]) {
      const { fail } = await jobs
      for (const job of workers.flatMap((worker) => worker.given())) {
        const attempt = `${job.id} ${job.retryCount}`
        if (lost.has(attempt)) continue
        lost.add(attempt)
        await fail(job)
        await db.foreign(`UPDATE ${db.schema}_jobs.job SET start_after = now() WHERE id = $1 AND state = 'retry'`, [
          job.id,
        ])
      }
    },
    async close() {
      await (await jobs).close()
      await db.close()
    },
  }
}
