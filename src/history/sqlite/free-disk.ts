import type { Database } from 'better-sqlite3'
import type { FreedDisk } from '../upkeep.ts'

/** Of 16 kB each. Moved pages are logged first, and the log must stay small on a full disk. */
const pagesAtOnce = 2_000

/**
 * Returns free pages to the file system, in at most `steps` steps of 32 MB. A file made without incremental vacuum
 * keeps them for the next runs.
 */
export function freeDisk(db: Database, steps = Number.POSITIVE_INFINITY): FreedDisk {
  const value = (pragma: string) => Number(db.pragma(pragma, { simple: true }))
  const pageSize = value('page_size')
  const before = value('page_count')
  db.pragma('wal_checkpoint(TRUNCATE)')
  const canShrink = value('auto_vacuum') === 2
  for (let step = 0, free = value('freelist_count'); canShrink && free > 0 && step < steps; step += 1) {
    db.pragma(`incremental_vacuum(${pagesAtOnce})`)
    db.pragma('wal_checkpoint(TRUNCATE)')
    const left = value('freelist_count')
    if (left >= free) break
    free = left
  }
  return { bytes: (before - value('page_count')) * pageSize, leftBytes: value('freelist_count') * pageSize }
}
