import { randomUUID } from 'node:crypto'
import { composeReport } from '../../audit/compose-report.ts'
import { readRunRecord } from '../../history/sql/read-run.ts'
import { AuditError } from '../../model/errors.ts'
import type { Report } from '../../model/report.ts'
import { Stop } from '../../model/stop.ts'
import { count } from '../../model/text/count.ts'
import { requireServer } from '../locate-history.ts'
import { openLog } from '../log.ts'
import { openHistory } from '../open-history.ts'
import type { AuditRequest } from '../perform-audit.ts'
import type { Pool } from '../pool/open-pool.ts'
import { endRun, type RequestedRun, readRequestedRun, requestRun, stopRun } from '../pool/runs.ts'
import { readProgress } from '../pool/tasks.ts'
import { liveWorkers } from '../pool/workers.ts'
import type { ProcessContext } from '../process-context.ts'
import { systemClock } from '../system.ts'
import { openProgress, type Progress } from '../watch-run.ts'
import { openPoolOf } from './share-runs.ts'
import { openSealer } from './shared-files.ts'

const pollMs = 500

/** For so long, the server may be away and workers may be missing: one that is replaced goes on with the run. */
const patienceMs = 60_000
/** All that it asks is small. A connection that is given up leaves time for the next one. */
const mostSilenceMs = 10_000

/**
 * Has the workers of a history do a run, and waits for it. A stop has them commit what they have read; undefined where it
 * came before the run began.
 * @throws AuditError.failure when there are no workers; as their coordinator where they cannot do it
 */
export async function askForRun(
  { configuration, policy, only, failOn, quiet, runTimeoutMs, ...request }: AuditRequest,
  terminal: ProcessContext,
  stopSignal: AbortSignal,
): Promise<Report | undefined> {
  const server = requireServer(configuration.history, 'leave --shared out')
  const pool = await openPoolOf(server, openLog(terminal), () => mostSilenceMs)
  const progress = openProgress(terminal, quiet)
  try {
    if ((await liveWorkers(pool.db)).length === 0) throw noWorkers(pool.db)
    const id = randomUUID()
    await requestRun(
      pool.db,
      {
        schedule: null,
        configurationDigest: configuration.digest,
        policyDigest: policy.digest,
        only,
        failOn,
        sealKeyId: openSealer({ configuration }, terminal).keyId,
        runsProbes: request.runsProbes ?? true,
        acceptsRemovals: request.acceptsRemovals ?? false,
        notifies: request.notifies ?? true,
        runTimeoutMs,
      },
      id,
    )
    const run = await waitForRun(pool, id, { stopSignal, progress })
    if (run === undefined) return undefined
    const history = await openHistory(configuration.history, terminal.env)
    try {
      const record = await readRunRecord(history, run)
      if (record === undefined) throw new Error(`run ${run} was committed and is not there`)
      return composeReport(record)
    } finally {
      await history.close()
    }
  } finally {
    progress.done()
    await pool.close()
  }
}

function noWorkers({ displayName }: Pool['db']): AuditError {
  return AuditError.failure(`no worker takes part in runs of ${displayName}`, {
    advice: 'start `hookdrift worker` with `worker: { shared: true }`, or leave --shared out to audit in this process',
  })
}

/** Returns the number of the committed run; undefined when it was stopped before it began. */
async function waitForRun(
  pool: Pool,
  id: string,
  { stopSignal, progress }: { readonly stopSignal: AbortSignal; readonly progress: Progress },
): Promise<number | undefined> {
  const { db } = pool
  let isStopping = false
  let seenAt = systemClock.now()
  for (;;) {
    try {
      if (stopSignal.aborted && !isStopping) {
        await stopRun(
          db,
          id,
          stopSignal.reason instanceof Stop && stopSignal.reason.code === 'sigterm' ? 'sigterm' : 'sigint',
        )
        isStopping = true
      }
      const requested = await readRequestedRun(db, id)
      if (requested === undefined)
        throw AuditError.failure('the run that was asked for is no longer known to the workers')
      if (requested.hasEnded) return runOf(requested, isStopping)
      const { length: workers } = await liveWorkers(db)
      if (workers > 0) seenAt = systemClock.now()
      else if (isStopping || systemClock.now() - seenAt > patienceMs) {
        // Left as it is, it would begin with the next worker, which may come much later.
        if (requested.run === null) await endRun(db, id, { kind: 'failure', message: 'there were no workers' })
        if (isStopping && requested.run === null) return undefined
        throw noWorkers(db)
      }
      await show(pool, requested.run, { workers, progress })
    } catch (error) {
      const isPassing = error instanceof AuditError && error.isPassing
      if (!isPassing || systemClock.now() - seenAt > patienceMs) throw error
    }
    // After a stop, the run still takes a moment.
    await systemClock.sleep(pollMs, isStopping ? undefined : stopSignal).catch(() => {})
  }
}

/** @throws AuditError of the kind that the coordinator met, where it committed no run */
function runOf({ run, state, error }: RequestedRun, isStopping: boolean): number | undefined {
  if (state === 'committed' && run !== null && error === null) return run
  if (isStopping && run === null) return undefined
  const { kind, message } = error ?? { kind: 'failure', message: 'it was interrupted' }
  throw new AuditError(kind, `the workers did not do the run: ${message}`)
}

async function show(
  { db }: Pool,
  run: number | null,
  { workers, progress }: { readonly workers: number; readonly progress: Progress },
): Promise<void> {
  const tasks = run === null ? undefined : await readProgress(db, run)
  if (tasks === undefined) return progress.show(`waiting for one of ${count(workers, 'worker')}`)
  const { done, lost, planned, running } = tasks
  const total = done + lost + planned + running
  // It is committed by now.
  if (total === 0) return
  progress.show(
    `${done + lost} of ${count(total, 'project')}, ${running} being read by ${count(workers, 'worker')}`,
    done + lost,
    total,
  )
}
