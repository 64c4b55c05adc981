import type { LeaseOwner } from '../../lease-owner.ts'
import { withDamageDescribed } from '../describe-damage.ts'
import { openDatabase } from '../open-database.ts'
import { openToExamine } from '../open-to-examine.ts'
import type { ResealHistory } from '../reseal/reseal-history.ts'
import { type Freed, freeDisk } from './free-disk.ts'
import { type PlannedRun, planPruning } from './plan-pruning.ts'
import { type PruneRequest, pruneHistory, refuseToKeepNothing } from './prune-history.ts'

export interface Pruning {
  readonly plan: readonly PlannedRun[]
  readonly freed: Freed
}

/**
 * Prunes the history in a file and returns the free pages to the file system.
 * @throws AuditError as `pruneHistory`
 */
export function pruneFile(file: string, owner: LeaseOwner, order: PruneRequest, resealing?: ResealHistory): Pruning {
  const db = openDatabase(file, new Date(owner.now()).toISOString(), { owner, resealing })
  try {
    return withDamageDescribed(file, () => ({ plan: pruneHistory(db, owner, order), freed: freeDisk(db) }))
  } finally {
    db.close()
  }
}

/** Plans the pruning of a history, and writes nothing. */
export function planForFile(file: string, { keep }: Pick<PruneRequest, 'keep'>): readonly PlannedRun[] {
  refuseToKeepNothing(keep)
  const db = openToExamine(file)
  try {
    return withDamageDescribed(file, () => db.transaction(() => planPruning(db, keep))())
  } finally {
    db.close()
  }
}

/** A worker that audits every minute does not prune every minute. */
const pauseMs = 20 * 3_600_000

/**
 * Prunes if the last pruning is at least 20 hours ago, and frees at most 256 MB of disk; undefined otherwise.
 * @throws AuditError as `pruneHistory`
 */
export function pruneWhenDue(file: string, owner: LeaseOwner, order: PruneRequest): Pruning | undefined {
  const db = openDatabase(file, new Date(owner.now()).toISOString(), { owner })
  try {
    const last = db
      .prepare<[], string | null>("SELECT max(made_at) FROM checkpoint WHERE reason = 'prune'")
      .pluck()
      .get()
    if (last && owner.now() - Date.parse(last) < pauseMs) return undefined
    return withDamageDescribed(file, () => ({ plan: pruneHistory(db, owner, order), freed: freeDisk(db, 8) }))
  } finally {
    db.close()
  }
}
