import {
  type BrokenLink,
  checkCheckpoint,
  hasLink,
  type LastCheckpoint,
  type LinkedRun,
  lastCheckpointSql,
  linkChecker,
  linkedRunsSql,
} from '../../chain/check-links.ts'
import { carriedDigestOf } from '../../chain/links.ts'
import { inRanges } from '../../chain/pruned-runs.ts'
import type { Transaction } from '../connect.ts'
import { partsCarried, partsOfRun, sqlNames } from './digest-rows.ts'

/** The oldest link that does not verify, or the last checkpoint; undefined when all verify. */
export async function findBrokenLink(transaction: Transaction): Promise<BrokenLink | undefined> {
  const runs = await transaction.all<LinkedRun>(linkedRunsSql(sqlNames.schema))
  const checkpoints = await transaction.all<{ runs: string }>('SELECT runs FROM hookdrift.checkpoint ORDER BY id')
  const check = linkChecker(inRanges(checkpoints.map(({ runs }) => runs)))
  for (const run of runs) {
    const parts = hasLink(run) ? await partsOfRun(transaction, run.number) : undefined
    const [broken] = check(run, parts)
    if (broken !== undefined) return broken
  }
  const last = await transaction.get<LastCheckpoint>(lastCheckpointSql(sqlNames.schema))
  if (last === undefined) return undefined
  const carried = carriedDigestOf(await partsCarried(transaction, last.id))
  const [broken] = checkCheckpoint(last, carried)
  return broken
}
