import type { Database } from 'better-sqlite3'
import { chainOf, isPruningDue, planPruning, pruneHistory, refuseToKeepNothing } from '../sql/prune-history.ts'
import { lastPruning } from '../sql/runs.ts'
import type { FreedDisk, HistoryUpkeep, PruneRequest } from '../upkeep.ts'
import { backUp } from './back-up.ts'
import { withDamageDescribed } from './describe-damage.ts'
import type { LocalProcess } from './lease.ts'
import { refuseNetworkFileSystem } from './network-file-system.ts'
import { openDatabase } from './open-database.ts'
import { openToExamine } from './open-to-examine.ts'
import { refuseMissing } from './refuse-files.ts'
import { sqliteBackend } from './sqlite-backend.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { verifyHistory } from './verify/verify-history.ts'

/** Of 32 MB each: what `pruneWhenDue` frees at most. */
const stepsWhenDue = 8

/**
 * The upkeep of the history in a file. Each method opens the file for itself, because most of them must not change it.
 */
export function sqliteUpkeep(file: string, owner: LocalProcess): HistoryUpkeep {
  const examine = async <Result>(work: (db: Database) => Result | Promise<Result>): Promise<Result> => {
    return workAndClose(openToExamine(file), work)
  }
  const change = async <Result>(work: (db: Database) => Result | Promise<Result>): Promise<Result> => {
    refuseMissing(file)
    refuseNetworkFileSystem(file, owner.mounts?.())
    const db = openDatabase(file, new Date(owner.now()).toISOString(), { owner })
    return workAndClose(db, () => work(db))
  }
  const prune = async (db: Database, request: PruneRequest, steps?: number) => {
    const { plan } = await pruneHistory(sqliteBackend(new SqliteDatabase(db), owner), request)
    return { plan, freed: withDamageDescribed(file, () => freeDisk(db, steps)) }
  }
  return {
    verify: (request) => examine((db) => verifyHistory(db, request)),
    chainOf: (run) => examine((db) => chainOf(new SqliteDatabase(db), run)),
    async planPruning(keep) {
      refuseToKeepNothing(keep)
      return examine((db) => new SqliteDatabase(db).snapshot((session) => planPruning(session, keep)))
    },
    prune: (request) => change((db) => prune(db, request)),
    pruneWhenDue: (request) =>
      change(async (db) => {
        if (!isPruningDue(await lastPruning(new SqliteDatabase(db)), owner.now())) return undefined
        return prune(db, request, stepsWhenDue)
      }),
    backUp: (target, request) => backUp(file, target, request),
    close: async () => {},
  }
}

async function workAndClose<Result>(db: Database, work: (db: Database) => Result | Promise<Result>): Promise<Result> {
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

/** Of 16 kB each. Moved pages are logged first, and the log must stay small on a full disk. */
const pagesAtOnce = 2_000

/**
 * Returns free pages to the file system, in at most `steps` steps of 32 MB. A file made without incremental vacuum
 * keeps them for the next runs.
 */
function freeDisk(db: Database, steps = Number.POSITIVE_INFINITY): FreedDisk {
  const value = (pragma: string) => Number(db.pragma(pragma, { simple: true }))
  const pageSize = value('page_size')
  const before = value('page_count')
  db.pragma('wal_checkpoint(TRUNCATE)')
  const canShrink = value('auto_vacuum') === 2
  for (let step = 0, free = value('freelist_count'); canShrink && free > 0 && step < steps; step += 1) {
    db.pragma(`incremental_vacuum(${pagesAtOnce})`)
    db.pragma('wal_checkpoint(TRUNCATE)')
    const remaining = value('freelist_count')
    if (remaining >= free) break
    free = remaining
  }
  return { bytes: (before - value('page_count')) * pageSize, freeBytes: value('freelist_count') * pageSize }
}
