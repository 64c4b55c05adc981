import type { AuditDependencies } from '../../audit/run-audit.ts'
import { describeMove, moveAdvice } from '../../history/lease-owner.ts'
import { AuditError, messageOf } from '../../model/errors.ts'
import { toolVersion } from '../../model/package-files.ts'
import type { Report } from '../../model/report.ts'
import { isoTime } from '../../model/time.ts'
import { HandedOver } from '../../pool/audit-by-pool.ts'
import { auditTogether, goOnTogether } from '../../pool/audit-together.ts'
import { type Job, runQueue } from '../../pool/jobs.ts'
import type { Pool } from '../../pool/open-pool.ts'
import { endRun, keyOf, type RequestedRun, type RunError, type RunKey, readRequestedRun } from '../../pool/runs.ts'
import { briefTransaction, readProjects } from '../../pool/tasks.ts'
import { agreeWithinMs, refusalWords } from '../../pool/workers.ts'
import { boundRun, openStack } from '../end-in-order.ts'
import type { Log } from '../log.ts'
import { openHistory } from '../open-history.ts'
import { openServices } from '../open-projects.ts'
import { maintain, notificationsOf } from '../perform-audit.ts'
import { planFleet, searchedServices } from '../plan-fleet.ts'
import type { ProcessContext } from '../process-context.ts'
import { systemClock } from '../system.ts'
import { logReport, watchIn, watchRequests } from '../watch-run.ts'
import { openPlanned } from './run-sites.ts'
import { type FilesInForce, filesOfRun, type SharedFiles } from './shared-files.ts'

export interface CoordinatorDependencies {
  readonly terminal: ProcessContext
  readonly log: Log
  readonly pool: Pool
  readonly files: SharedFiles
  /** Aborted when this worker stops: another one goes on with the run. */
  readonly signal: AbortSignal
  readonly watch: CoordinatorObserver
  /** Called where this worker has other files than the run was asked with: another one takes it. */
  readonly onLeft: () => void
}

/** Called with what happens to runs that this worker coordinates. `schedule`: null for one that a person asked for. */
export interface CoordinatorObserver {
  started(schedule: string | null): void
  begun(run: number): void
  ended(schedule: string | null, report: Report): Promise<void> | void
  failed(schedule: string | null, error: unknown): void
}

/** How long the server may be silent: no longer than the largest statement of a run takes. */
const silence = { conductingMs: 10 * 60_000, handedOverMs: 30_000 }

const failure = (message: string): RunError => ({ kind: 'failure', message })

/** Seconds until a job is offered again that this worker could not begin, because a run is under way. */
const laterS = 5

/**
 * Coordinates the run of a job: plans it, waits for its walks, concludes and commits it; or goes on where a worker that
 * was lost left it. Never rejects.
 */
export async function coordinateRun(job: Job<RunKey>, dependencies: CoordinatorDependencies): Promise<void> {
  const { pool, watch, log, terminal } = dependencies
  const { db, jobs } = pool
  const { id, schedule } = job.data
  const finish = (error: RunError | null) =>
    briefTransaction(db, async (transaction) => {
      await endRun(transaction, id, error && { kind: error.kind, message: error.message })
      await jobs.complete(runQueue, job, transaction)
    })
  const offerAgain = (delayS: number, data: RunKey = job.data) =>
    briefTransaction(db, async (transaction) => {
      if (!(await jobs.complete(runQueue, job, transaction))) return
      await jobs.send(runQueue, [data], { delayS, key: keyOf(data) }, transaction)
    })
  try {
    const requested = await readRequestedRun(db, id)
    if (requested === undefined || requested.hasEnded || requested.state === 'committed') return await finish(null)
    if (requested.stoppedBy !== null && requested.run === null)
      return await finish(failure('it was stopped before it began'))
    // Another process took the history over.
    if (requested.state === 'interrupted') return await finish(failure('it was interrupted'))
    if (requested.move !== undefined) {
      const error = AuditError.busy(describeMove(db.displayName, requested.move), { advice: moveAdvice })
      await finish(error)
      return watch.failed(schedule, error)
    }
    const files = await filesOfRun({ ...requested.request, toolVersion: requested.toolVersion }, dependencies)
    if (typeof files === 'string') {
      const { differsSince = systemClock.now() } = job.data
      log.warn({ schedule, differs: files }, 'a run was asked for with other files than this worker has')
      if (systemClock.now() - differsSince < agreeWithinMs && (requested.leftMs ?? 0) >= 0) {
        dependencies.onLeft()
        return await offerAgain(0, { id, schedule, differsSince })
      }
      // What it began with is nowhere any longer: the next tick asks with what there is.
      if (requested.run !== null) await closeRun(pool, requested.run)
      await finish(failure(`no worker has the ${refusalWords[files]} that it was asked with`))
      return log.error({ schedule, differs: files }, 'a run was given up: no worker has what it was asked with')
    }
    watch.started(schedule)
    const report = await conduct(id, requested, { ...dependencies, ...files })
    await finish(null)
    logReport(log, report)
    await watch.ended(schedule, report)
    await maintain(files.configuration, terminal, log).catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'the history could not be maintained after the run')
    })
  } catch (error) {
    try {
      if (error instanceof HandedOver) await offerAgain(0)
      else if (error instanceof AuditError && isTriedAgain(error, job.data)) {
        log.warn({ schedule, error: error.message, advice: error.advice }, 'the run is tried again')
        await offerAgain(laterS, isLasting(error) ? { failsSince: systemClock.now(), ...job.data } : job.data)
      } else {
        await closeLeft(pool, id)
        await finish(error instanceof AuditError ? error : failure(`a bug in hookdrift: ${messageOf(error)}`))
        watch.failed(schedule, error)
      }
    } catch (lost) {
      // The server is away: the job comes back when its heartbeat is missed.
      watch.failed(schedule, lost)
    }
  }
}

/** Whether an error ends every try, until a person acts. Another worker may have what this one lacks. */
function isLasting({ kind, isPassing }: AuditError): boolean {
  return kind === 'failure' && !isPassing
}

/** A mistake in what was asked for is final, and so is an error that lasts. */
function isTriedAgain(error: AuditError, { failsSince = systemClock.now() }: RunKey): boolean {
  return error.kind !== 'usage' && !(isLasting(error) && systemClock.now() - failsSince >= agreeWithinMs)
}

/** Opens what a run needs, and conducts it from where it is. */
async function conduct(
  id: string,
  requested: RequestedRun,
  {
    configuration,
    policy,
    sealer,
    pool,
    terminal,
    log,
    signal: handOver,
    watch,
  }: CoordinatorDependencies & FilesInForce,
): Promise<Report> {
  const { request } = requested
  await using opened = openStack()
  const never = new AbortController()
  const { signal, cut, done } = boundRun(never.signal, request.runTimeoutMs, requested.leftMs ?? request.runTimeoutMs)
  opened.defer(done)
  const isAdopted = requested.state === 'running' && requested.options !== undefined
  const { services, close } = openServices(configuration, request.only, {
    terminal,
    cut,
    gateOf: pool.gates.gateOf,
    onRequest: watchRequests(terminal, log, true),
  })
  opened.defer(close)
  // Once another worker has the run, this one need not wait long.
  const mostSilenceMs = () => (handOver.aborted ? silence.handedOverMs : silence.conductingMs)
  const history = await openHistory(configuration.history, terminal.env, { mostSilenceMs })
  opened.defer(() => history.close())
  const common = {
    policy,
    configurationDigest: configuration.digest,
    failOn: request.failOn,
    concurrency: configuration.concurrency,
  }
  const dependencies = async (projects: Parameters<typeof notificationsOf>[1]): Promise<AuditDependencies> => ({
    history,
    sealer,
    clock: systemClock,
    signal,
    toolVersion: toolVersion(),
    onPage: () => {},
    composeNotifications: await notificationsOf(configuration, projects, request.notifies),
    ...watchIn(log),
  })
  const onUnclaimed = (service: string, reason: string) =>
    log.warn({ service, reason }, 'the projects of a service are given up')
  const coordinating = { ...pool, id, clock: systemClock, handOver, onBegun: watch.begun, onUnclaimed }
  if (isAdopted && requested.plan !== undefined && requested.options !== undefined) {
    const { lists, isWholeFleet, areAll, scope } = requested.plan
    const audit = {
      ...common,
      ...requested.options,
      lists,
      isWholeFleet,
      scope,
      services: searchedServices(services, areAll),
    }
    const projects = await plannedProjects(requested, pool, services)
    log.warn({ run: requested.run }, 'the worker that coordinated the run was lost: going on with it')
    return await goOnTogether(
      { ...audit, projects },
      { ...requested, options: requested.options },
      coordinating,
      await dependencies(projects),
    )
  }
  const { only, schedule } = request
  const { projects, ...plan } = await planFleet(configuration, services, history, sealer, { only, schedule, signal })
  const { runsProbes, acceptsRemovals, runTimeoutMs } = request
  const options = { runsProbes, acceptsRemovals, runTimeoutMs }
  const audit = { ...common, ...options, ...plan, projects, services: searchedServices(services, plan.areAll) }
  return await auditTogether(audit, { plan, options }, coordinating, await dependencies(projects))
}

/** Ends what was begun of a run that failed for good. Where it cannot, the next run does. */
async function closeLeft(pool: Pool, id: string): Promise<void> {
  try {
    const requested = await readRequestedRun(pool.db, id)
    if (requested?.state === 'running' && requested.run !== null) await closeRun(pool, requested.run)
  } catch {
    // Another process owns the lease, or the server fails.
  }
}

/** Ends a run that no worker goes on with: nothing of it is kept. @throws AuditError.busy while another owns the lease */
async function closeRun({ drafts }: Pool, run: number): Promise<void> {
  const draft = await drafts.adopt(run)
  await draft.giveUp(isoTime(systemClock.now()))
}

async function plannedProjects({ run }: RequestedRun, { db }: Pool, services: Parameters<typeof openPlanned>[0]) {
  return (await readProjects(db, run ?? 0)).map(({ project }) => {
    const opened = openPlanned(services, project)
    // The digest of the configuration is the run's.
    if (opened === undefined) throw new Error(`${project.ref.name} is not in the configuration of the run`)
    return opened
  })
}
