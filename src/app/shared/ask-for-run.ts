import { randomUUID } from 'node:crypto'
import { composeReport } from '../../audit/compose-report.ts'
import { AuditError } from '../../model/errors.ts'
import type { Report } from '../../model/report.ts'
import { Stop } from '../../model/stop.ts'
import type { Pool } from '../../pool/open-pool.ts'
import { endRun, readRequestedRun, requestRun, stopRun } from '../../pool/runs.ts'
import { readProgress } from '../../pool/tasks.ts'
import { liveWorkers } from '../../pool/workers.ts'
import { openLog } from '../log.ts'
import { openHistory } from '../open-history.ts'
import type { AuditRequest } from '../perform-audit.ts'
import type { ProcessContext } from '../process-context.ts'
import { openProgress, type Progress } from '../progress.ts'
import { systemClock } from '../system.ts'
import { openPoolOf } from './share-runs.ts'

const pollMs = 500

/**
 * Has the workers of a history do a run, and waits for it. A stop has them commit what they have read.
 * @throws AuditError.failure when there are no workers, or they cannot do it
 */
export async function askForRun(
  { configuration, policy, only, failOn, quiet, runTimeoutMs, ...request }: AuditRequest,
  terminal: ProcessContext,
  asked: AbortSignal,
): Promise<Report> {
  const pool = await openPoolOf(configuration, openLog(terminal))
  const progress = openProgress(terminal, 0, quiet)
  try {
    await requireWorkers(pool)
    const id = randomUUID()
    await requestRun(
      pool,
      {
        ...{ schedule: null, configurationDigest: configuration.digest, policyDigest: policy.digest, only, failOn },
        ...{ runsProbes: request.runsProbes ?? true, acceptsRemovals: request.acceptsRemovals ?? false },
        ...{ notifies: request.notifies ?? true, runTimeoutMs },
      },
      id,
    )
    const run = await waitForRun(pool, id, { asked, progress })
    const history = await openHistory(configuration.history, terminal.env)
    try {
      const record = await history.readRun(run)
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

async function requireWorkers({ db }: Pool): Promise<number> {
  const workers = await liveWorkers(db)
  if (workers.length > 0) return workers.length
  throw AuditError.failure(`no worker takes part in runs of ${db.shown}`, {
    advice: 'start `hookdrift worker` with `worker: { shared: true }`, or leave --shared out to audit in this process',
  })
}

/** Returns the number of the committed run. */
async function waitForRun(
  pool: Pool,
  id: string,
  { asked, progress }: { readonly asked: AbortSignal; readonly progress: Progress },
): Promise<number> {
  const { db } = pool
  let isStopping = false
  for (;;) {
    if (asked.aborted && !isStopping) {
      isStopping = true
      await stopRun(db, id, asked.reason instanceof Stop && asked.reason.code === 'sigterm' ? 'sigterm' : 'sigint')
    }
    const found = await readRequestedRun(db, id)
    if (found === undefined) throw AuditError.failure('the run that was asked for is no longer known to the workers')
    if (found.hasEnded) {
      if (found.state === 'committed' && found.run !== null && found.error === null) return found.run
      throw AuditError.failure(`the workers did not do the run: ${found.error ?? 'it was interrupted'}`)
    }
    try {
      const workers = await requireWorkers(pool)
      await show(pool, found.run, { workers, progress })
    } catch (error) {
      // Left as it is, it would begin with the next worker, which may come much later.
      if (found.run === null) await endRun(db, id, 'there were no workers')
      throw error
    }
    // After a stop, the run still takes a moment.
    await systemClock.sleep(pollMs, isStopping ? undefined : asked).catch(() => {})
  }
}

async function show(
  { db }: Pool,
  run: number | null,
  { workers, progress }: { readonly workers: number; readonly progress: Progress },
): Promise<void> {
  const found = run === null ? undefined : await readProgress(db, run)
  if (found === undefined) return progress.show(`waiting for one of ${workers} workers`)
  const { done, lost, planned, running } = found
  const total = done + lost + planned + running
  progress.show(`${done + lost}/${total} projects, ${running} being read by ${workers} workers`)
}
