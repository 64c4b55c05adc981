import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditedProject } from '../../src/audit/project-scan.ts'
import type { Audit } from '../../src/audit/run-audit.ts'
import type { History } from '../../src/history/history.ts'
import { connect, type PostgresDatabase } from '../../src/history/postgres/connect.ts'
import type { SharedProcess } from '../../src/history/postgres/lease.ts'
import { openPostgresHistory } from '../../src/history/postgres/postgres-history.ts'
import { createSealer } from '../../src/inventory/sealer.ts'
import type { Clock } from '../../src/model/clock.ts'
import type { Report } from '../../src/model/report.ts'
import { auditTogether, goOnTogether } from '../../src/pool/audit-together.ts'
import { openDrafts } from '../../src/pool/drafts.ts'
import { type OpenJobs, openJobs, runQueue } from '../../src/pool/jobs.ts'
import { keepSlots, type SlotDependencies } from '../../src/pool/keep-slots.ts'
import { type RequestedRun, type RunKey, type RunRequest, readRequestedRun, requestRun } from '../../src/pool/runs.ts'
import type { RunSite } from '../../src/pool/walk-task.ts'
import { makeDatabase, type TestDatabase } from '../history/postgres/databases.ts'

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
}

const every: SlotDependencies['every'] = (ms, call) => {
  const timer = setInterval(call, ms)
  return () => clearInterval(timer)
}

export interface PoolTurn extends Omit<Audit, 'concurrency' | 'configurationDigest'> {
  /** Start of the run. */
  readonly now: number
}

/** A history in a database of its own, and workers that share its runs in this process. */
export async function openPoolHarness({ walks = 2 } = {}) {
  const place = await makeDatabase()
  const sealer = createSealer(Buffer.alloc(32, 1))
  let made = 0
  const faults: unknown[] = []
  const events: string[] = []
  const closes: (() => Promise<void>)[] = []
  /** The projects of the run under way: what configurations of all workers would say. */
  let turn: PoolTurn | undefined

  const ownerOf = (pid: number): SharedProcess => ({
    ...{ host: 'host-1', bootId: 'boot', pid, isAlive: () => true, now: () => Date.now(), every },
  })

  async function join(): Promise<{
    readonly db: PostgresDatabase
    readonly jobs: OpenJobs
    readonly id: string
    readonly pid: number
  }> {
    made += 1
    const db = connect(place.server)
    const jobs = await openJobs(db, (error) => faults.push(error))
    closes.push(async () => {
      await jobs.close()
      await db.close()
    })
    return { db, jobs, id: `worker-${made}`, pid: made }
  }

  const siteOf = (signal: AbortSignal): RunSite => {
    if (turn === undefined) throw new Error('no run is under way')
    const { policy, acceptsRemovals, runsProbes = true, usesMarks = true, projects } = turn
    const byName = new Map(projects.map((project) => [project.ref.name, project]))
    return {
      terms: { policy, configurationDigest: 'configuration', acceptsRemovals, runsProbes, usesMarks },
      ...{ sealer, toolVersion: '0.0.0', signal, onPage: () => {} },
      onBug: (_, error) => faults.push(error),
      open: ({ ref, labels }) => {
        const project = byName.get(ref.name)
        return project === undefined ? undefined : { ...project, labels }
      },
    }
  }

  /** Starts a worker; the returned function stops it. */
  async function startWorker(more: Partial<SlotDependencies> = {}): Promise<() => Promise<void>> {
    const { db, jobs, id, pid } = await join()
    const stop = new AbortController()
    const working = keepSlots(
      {
        ...{ db, jobs, worker: id, clock: realClock, every, slots: 4, capOf: () => walks },
        drafts: openDrafts(db, ownerOf(pid)),
        onTakenOver: () => events.push(`${id} takes over`),
        sites: { enter: async () => siteOf(new AbortController().signal) },
        watch: {
          begun: () => {},
          ended: (service, result) => events.push(`${id} ${service} ${result}`),
          failed: (_, error) => faults.push(error),
          unreachable: (error) => faults.push(error),
        },
        ...more,
      },
      stop.signal,
    )
    return async () => {
      stop.abort()
      await working
    }
  }

  const request: RunRequest = {
    ...{ schedule: null, configurationDigest: 'configuration', policyDigest: 'policy', only: [], failOn: 'medium' },
    ...{ runsProbes: true, acceptsRemovals: false, notifies: true, runTimeoutMs: 60_000 },
  }
  let asked = 0

  /** One run as its coordinator does it. */
  async function audit(
    given: PoolTurn,
    { runTimeoutMs = 60_000, handOver = new AbortController().signal } = {},
  ): Promise<Report> {
    turn = given
    const { db, jobs, pid } = await join()
    asked += 1
    const id = `run-${asked}`
    await requestRun({ db, jobs }, { ...request, runTimeoutMs }, id)
    return coordinate({ db, jobs, id, pid, handOver, given })
  }

  async function coordinate({
    db,
    jobs,
    id,
    pid,
    handOver,
    given,
  }: {
    readonly db: PostgresDatabase
    readonly jobs: OpenJobs
    readonly id: string
    readonly pid: number
    readonly handOver: AbortSignal
    readonly given: PoolTurn
  }): Promise<Report> {
    const [job] = await jobs.fetch<RunKey>(runQueue, { most: 1, cap: 1 })
    if (job?.data.id !== id) throw new Error('the job of the run is not there')
    const history: History = await openPostgresHistory(place.server, ownerOf(pid))
    const { runsProbes = true, acceptsRemovals, usesMarks = true, isWholeFleet, lists = [] } = given
    const requested = (await readRequestedRun(db, id)) as RequestedRun
    const options = { runsProbes, acceptsRemovals, usesMarks, runTimeoutMs: requested.request.runTimeoutMs }
    const audited = { ...given, concurrency: 2, configurationDigest: 'configuration' }
    const coordinating = { db, jobs, id, handOver, drafts: openDrafts(db, ownerOf(pid)) }
    const dependencies = {
      ...{ history, sealer, clock: { ...realClock, now: () => given.now }, signal: new AbortController().signal },
      ...{ toolVersion: '0.0.0', onPage: () => {}, onInterrupted: () => {} },
      onBug: (_: AuditedProject, error: unknown) => void faults.push(error),
    }
    try {
      const report =
        requested.options === undefined
          ? await auditTogether(
              audited,
              { plan: { lists, isWholeFleet, areAll: true }, options },
              coordinating,
              dependencies,
            )
          : await goOnTogether(audited, { ...requested, options: requested.options }, coordinating, dependencies)
      await jobs.complete(runQueue, job)
      return report
    } finally {
      await history.close()
    }
  }

  return {
    place,
    server: place.server,
    faults,
    events,
    join,
    startWorker,
    audit,
    coordinate,
    openHistory: () => openPostgresHistory(place.server, ownerOf(999)),
    async [Symbol.asyncDispose]() {
      for (const close of closes) await close()
      await place.remove()
    },
  }
}

export type PoolHarness = Awaited<ReturnType<typeof openPoolHarness>>
export type { TestDatabase }
