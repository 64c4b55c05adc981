import type { Holder } from '../../holder.ts'
import { openDatabase } from '../open-database.ts'
import { openToExamine } from '../open-to-examine.ts'
import { type Freed, freeDisk } from './free-disk.ts'
import { type PlannedRun, planPruning } from './plan-pruning.ts'
import { type PruneOrder, pruneHistory, refuseToKeepNothing } from './prune-history.ts'

export interface Pruning {
  readonly plan: readonly PlannedRun[]
  readonly freed: Freed
}

/**
 * Prunes the history in a file and gives its disk back, at most so many steps of 32 MB.
 * @throws AuditError as `pruneHistory`
 */
export function pruneFile(file: string, holder: Holder, order: PruneOrder & { readonly steps?: number }): Pruning {
  const db = openDatabase(file, new Date(holder.now()).toISOString(), undefined, holder.tell)
  try {
    return { plan: pruneHistory(db, holder, order), freed: freeDisk(db, order.steps) }
  } finally {
    db.close()
  }
}

/** What pruning would do. Writes nothing. */
export function planForFile(file: string, { keep }: Pick<PruneOrder, 'keep'>): readonly PlannedRun[] {
  refuseToKeepNothing(keep)
  const db = openToExamine(file)
  try {
    return db.transaction(() => planPruning(db, keep))()
  } finally {
    db.close()
  }
}
