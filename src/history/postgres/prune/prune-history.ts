import { rangesOf } from '../../chain/pruned-runs.ts'
import { refuseBroken, refuseToKeepNothing } from '../../plan-runs.ts'
import { planPruning } from '../../sql/plan-pruning.ts'
import type { PruneRequest, Pruning } from '../../upkeep.ts'
import { makeCheckpoint } from '../chain/chain.ts'
import { findBrokenLink } from '../chain/find-broken-link.ts'
import { commitSurely } from '../commit-surely.ts'
import type { PostgresDatabase, Transaction } from '../connect.ts'
import { closeKilledRuns } from '../draft/close-runs.ts'
import { lockLease, releaseSql, type SharedProcess, takeLease } from '../lease.ts'
import { interruptedBefore, removeRuns } from './remove-runs.ts'

/**
 * Removes the runs without a reason to keep them, all or none. Rows that a kept run needs stay, so its report does not
 * change. Writes a checkpoint, so that the chain still verifies. Returns no space to the file system.
 * @throws AuditError.usage when no retention option is given
 * @throws AuditError.failure when the history does not verify
 * @throws AuditError.busy when another run owns the lease
 */
export async function pruneHistory(db: PostgresDatabase, owner: SharedProcess, order: PruneRequest): Promise<Pruning> {
  refuseToKeepNothing(order.keep)
  const work = async (session: Transaction) => {
    const token = await takeLease(session, owner, db.shown)
    const now = new Date(owner.now()).toISOString()
    await closeKilledRuns(session, now)
    const plan = await planPruning(session, order.keep)
    const gone = plan.filter(({ reasons }) => reasons.length === 0).map(({ number }) => number)
    let leftBytes = 0
    if (gone.length > 0) {
      // The checkpoint covers the remaining rows anew, so they must not be altered.
      refuseBroken(db.shown, await findBrokenLink(session))
      const interrupted = await interruptedBefore(session, gone)
      const kept = plan.filter(({ reasons }) => reasons.length > 0).map(({ number }) => number)
      leftBytes = await removeRuns(session, { gone, interrupted, kept })
      const runs = rangesOf([...gone, ...interrupted].sort((a, b) => a - b))
      const { options, toolVersion } = order
      await makeCheckpoint(session, { madeAt: now, toolVersion, options, runs })
    }
    await session.run(releaseSql, [token])
    return { plan, gone, leftBytes }
  }
  const { plan, leftBytes } = await commitSurely(db, {
    work,
    subject: ({ gone }) => `the pruning of ${gone.length} runs`,
    advice: 'check which runs `hookdrift runs` lists once the server is up',
    async isRecorded(session, { gone }) {
      await lockLease(session)
      const left = "SELECT 1 FROM hookdrift.run WHERE state = 'committed' AND number = ANY($1::bigint[])"
      return (await session.get(left, [gone])) === undefined
    },
  })
  return { plan, freed: { bytes: 0, leftBytes } }
}
