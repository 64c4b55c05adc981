import { findBrokenLink, makeCheckpoint } from '../chain/link-runs.ts'
import { rangesOf } from '../chain/pruned-runs.ts'
import { closeKilledRuns } from '../draft/close-runs.ts'
import { refuseBroken, refuseToKeepNothing } from '../plan-runs.ts'
import type { PlannedRun, PruneRequest } from '../upkeep.ts'
import type { HistoryBackend } from './backend.ts'
import { planPruning } from './plan-pruning.ts'
import { interruptedBefore, removeRuns } from './remove-runs.ts'
import type { Session, Transaction } from './session.ts'

interface Pruned {
  /** Every committed run, with the reasons to keep it. */
  readonly plan: readonly PlannedRun[]
  readonly gone: readonly number[]
  /** What the removed rows took, where the backend says so. */
  readonly bytes: number
}

/**
 * Removes the runs without a reason to keep them, all or none. Rows that a kept run needs stay, so its report does not
 * change. Writes a checkpoint, so that the chain still verifies. Returns no space to the file system.
 * @throws AuditError.usage when no retention option is given
 * @throws AuditError.failure when the history does not verify
 * @throws AuditError.busy when another run owns the lease
 */
export async function pruneHistory(backend: HistoryBackend, order: PruneRequest): Promise<Pruned> {
  refuseToKeepNothing(order.keep)
  return backend.commitSurely<Pruned>({
    work: (transaction) => prune(transaction, backend, order),
    subject: ({ gone }) => `the pruning of ${gone.length} runs`,
    advice: 'check which runs `hookdrift runs` lists once the server is up',
    async isRecorded(transaction, { gone }) {
      await backend.lease.lock(transaction)
      const left = "SELECT 1 FROM hookdrift.run WHERE state = 'committed' AND number = ANY($1)"
      return (await transaction.get(left, [gone])) === undefined
    },
  })
}

async function prune(
  transaction: Transaction,
  { db, lease, now }: HistoryBackend,
  { keep, options, toolVersion }: PruneRequest,
): Promise<Pruned> {
  const token = await lease.take(transaction)
  const madeAt = new Date(now()).toISOString()
  await closeKilledRuns(transaction, madeAt)
  const plan = await planPruning(transaction, keep)
  const gone = plan.filter(({ reasons }) => reasons.length === 0).map(({ number }) => number)
  let bytes = 0
  if (gone.length > 0) {
    // The checkpoint covers the remaining rows anew, so they must not be altered.
    refuseBroken(db.shown, await findBrokenLink(transaction))
    const interrupted = await interruptedBefore(transaction, gone)
    const kept = plan.filter(({ reasons }) => reasons.length > 0).map(({ number }) => number)
    bytes = await removeRuns(transaction, { gone, interrupted, kept })
    const runs = rangesOf([...gone, ...interrupted].sort((a, b) => a - b))
    await makeCheckpoint(transaction, { madeAt, toolVersion, options, runs })
  }
  await lease.release(transaction, token)
  return { plan, gone, bytes }
}

/** When runs were pruned last: ISO 8601, UTC; null: never. */
export async function lastPruning(session: Session): Promise<string | null> {
  return (await session.value<string | null>('SELECT max(made_at) FROM hookdrift.checkpoint')) ?? null
}

/** The chain's digest as of a run; undefined when there is no such run. */
export async function chainOf(session: Session, run: number): Promise<string | undefined> {
  return session.value<string>("SELECT chain FROM hookdrift.run WHERE number = $1 AND state = 'committed'", [run])
}
