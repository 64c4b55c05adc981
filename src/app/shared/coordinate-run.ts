import type { Audit } from '../../audit/run-audit.ts'
import { describeMove, moveAdvice } from '../../history/lease-owner.ts'
import { moveIn } from '../../history/sql/runs.ts'
import { AuditError, messageOf } from '../../model/errors.ts'
import { toolVersion } from '../../model/package-files.ts'
import type { Report } from '../../model/report.ts'
import { isoTime } from '../../model/time.ts'
import { boundRun, openStack } from '../end-in-order.ts'
import type { Log } from '../log.ts'
import { openHistory } from '../open-history.ts'
import { openServices } from '../open-projects.ts'
import { maintain, notificationsOf } from '../perform-audit.ts'
import { planFleet, searchedServices } from '../plan-fleet.ts'
import { auditTogether } from '../pool/audit-together.ts'
import type { Pool } from '../pool/open-pool.ts'
import { endRun, leaveRun, type RequestedRun, readRequestedRun, takeRun, waitingRuns } from '../pool/runs.ts'
import { readProjects } from '../pool/tasks.ts'
import { agreeWithinMs, type Refusal, refusalWords } from '../pool/workers.ts'
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
  /** The id of this worker. */
  readonly worker: string
  /** Aborted when this worker stops: another one goes on with the run. */
  readonly signal: AbortSignal
  readonly watch: CoordinatorObserver
}

/** Called with what happens to runs that this worker coordinates. `schedule`: null for one that a person asked for. */
export interface CoordinatorObserver {
  /** It has other files than a run was asked with, and leaves it. */
  refused(run: RequestedRun, differs: Refusal): void
  started(schedule: string | null): void
  ended(schedule: string | null, report: Report): Promise<void> | void
  failed(schedule: string | null, error: unknown): void
  /** Called when this worker begins to coordinate a run, and when it no longer does. */
  coordinating(is: boolean): void
}

/** How long the server may be silent: no longer than the largest statement of a run takes. */
const silence = { conductingMs: 10 * 60_000, handedOverMs: 30_000 }

const failure = (message: string) => AuditError.failure(message)

/** What became of the runs that wait. `none`: this worker does none of them. `later`: one is tried again. */
type CoordinationEnd = 'none' | 'ended' | 'later'

/**
 * Coordinates the first run that waits and that this worker has the files of: plans it, waits for its walks, concludes
 * and commits it; or goes on where a worker that was lost left it. One with other files is left to others.
 * @throws AuditError.failure when the server cannot be asked
 */
export async function coordinateNext(dependencies: CoordinatorDependencies): Promise<CoordinationEnd> {
  const { pool, log, worker, watch } = dependencies
  const { db } = pool
  for (const requested of await waitingRuns(db, worker)) {
    const { id, request, run, waitedMs, leftMs, toolVersion } = requested
    const over = await findEnd(requested, pool)
    if (over !== undefined) {
      if ((await endRun(db, id, over)) && over?.kind === 'busy') watch.failed(request.schedule, over)
      continue
    }
    const files = await filesOfRun({ ...request, toolVersion }, dependencies)
    if (typeof files !== 'string') {
      if (await takeRun(db, requested, worker)) return await coordinateRun(requested, { ...dependencies, ...files })
      continue
    }
    watch.refused(requested, files)
    if (waitedMs < agreeWithinMs && (leftMs ?? 0) >= 0) continue
    // What it began with is nowhere any longer: the next tick asks with what there is.
    if (run !== null) await closeRun(pool, run)
    await endRun(db, id, failure(`no worker has the ${refusalWords[files]} that it was asked with`))
    log.error(
      { schedule: request.schedule, differs: files },
      'a run was given up: no worker has what it was asked with',
    )
  }
  return 'none'
}

/** Why a run that waits is over, for workers with any files: null where it was committed; undefined where it is not. */
async function findEnd({ state, stoppedBy, run }: RequestedRun, { db }: Pool): Promise<AuditError | null | undefined> {
  if (state === 'committed') return null
  if (stoppedBy !== null && run === null) return failure('it was stopped before it began')
  // Another process took the history over.
  if (state === 'interrupted') return failure('it was interrupted')
  const move = await moveIn(db)
  return move && AuditError.busy(describeMove(db.displayName, move), { advice: moveAdvice })
}

/** Never rejects. */
async function coordinateRun(
  requested: RequestedRun,
  dependencies: CoordinatorDependencies & FilesInForce,
): Promise<CoordinationEnd> {
  const { pool, watch, log, terminal, worker, signal, configuration } = dependencies
  const { id, request } = requested
  const { schedule } = request
  watch.coordinating(true)
  try {
    watch.started(schedule)
    const report = await conduct(requested, dependencies)
    await endRun(pool.db, id, null)
    logReport(log, report)
    await watch.ended(schedule, report)
    await maintain(configuration, terminal, log).catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'the history could not be maintained after the run')
    })
    return 'ended'
  } catch (error) {
    try {
      if (signal.aborted || isTriedAgain(error, requested)) {
        if (!signal.aborted) log.warn({ schedule, error: messageOf(error) }, 'the run is tried again')
        await leaveRun(pool.db, id, { worker, isFailing: !signal.aborted && isLasting(error) })
        return 'later'
      }
      await closeLeft(pool, id)
      await endRun(
        pool.db,
        id,
        error instanceof AuditError ? error : failure(`a bug in hookdrift: ${messageOf(error)}`),
      )
      watch.failed(schedule, error)
      return 'ended'
    } catch (away) {
      // The server is away: this worker, or another one where it is lost, tries again.
      watch.failed(schedule, away)
      return 'later'
    }
  } finally {
    watch.coordinating(false)
  }
}

/** Whether an error ends every try, until a person acts. Another worker may have what this one lacks. */
function isLasting(error: unknown): boolean {
  return error instanceof AuditError && error.kind === 'failure' && !error.isPassing
}

/** A mistake in what was asked for is final, and so are a bug and an error that lasts. */
function isTriedAgain(error: unknown, { failsForMs }: RequestedRun): boolean {
  if (!(error instanceof AuditError) || error.kind === 'usage') return false
  return !(isLasting(error) && (failsForMs ?? 0) >= agreeWithinMs)
}

/** Opens what a run needs, and conducts it from where it is. */
async function conduct(
  requested: RequestedRun,
  {
    configuration,
    policy,
    sealer,
    pool,
    terminal,
    log,
    worker,
    signal: handOver,
  }: CoordinatorDependencies & FilesInForce,
): Promise<Report> {
  const { run, request } = requested
  const { only, schedule, failOn, runsProbes, acceptsRemovals, runTimeoutMs } = request
  await using opened = openStack()
  const never = new AbortController()
  const { signal, cut, done } = boundRun(never.signal, runTimeoutMs, requested.leftMs ?? runTimeoutMs)
  opened.defer(done)
  const { services, close } = openServices(configuration, only, {
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
  const before = run === null ? null : requested.plan
  if (before !== null) log.warn({ run }, 'the worker that coordinated the run was lost: going on with it')
  const { projects, ...plan } =
    before === null || run === null
      ? await planFleet(configuration, services, history, sealer, { only, schedule, signal })
      : { ...before, projects: (await readProjects(pool.db, run)).map((project) => openPlanned(services, project)) }
  const { lists, isWholeFleet, areAll, scope } = plan
  const audit: Audit = {
    policy,
    configurationDigest: configuration.digest,
    failOn,
    concurrency: configuration.concurrency,
    runsProbes,
    acceptsRemovals,
    projects,
    lists,
    isWholeFleet,
    scope,
    naming: configuration,
    services: searchedServices(services, areAll),
  }
  const onUnclaimed = (service: string, reason: string) =>
    log.warn({ service, reason }, 'the projects of a service are given up')
  return await auditTogether(
    audit,
    { ...requested, plan },
    { ...pool, worker, clock: systemClock, handOver, onUnclaimed },
    {
      history,
      sealer,
      clock: systemClock,
      signal,
      toolVersion: toolVersion(),
      onPage: () => {},
      composeNotifications: await notificationsOf(configuration, projects, request.notifies),
      ...watchIn(log),
    },
  )
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
  await draft.abandon(isoTime(systemClock.now()))
}
