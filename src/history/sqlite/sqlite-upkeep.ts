import type { Database } from 'better-sqlite3'
import { isPruningDue, refuseToKeepNothing } from '../plan-runs.ts'
import { chainOf, lastPruning, planPruning, pruneHistory } from '../sql/prune-history.ts'
import type { HistoryUpkeep, PruneRequest } from '../upkeep.ts'
import { askInProcess } from './ask-in-process.ts'
import { backUp } from './back-up.ts'
import { withDamageDescribed } from './describe-damage.ts'
import { freeDisk } from './free-disk.ts'
import type { LocalProcess } from './lease.ts'
import { openDatabase } from './open-database.ts'
import { openToExamine } from './open-to-examine.ts'
import { refuseMissing } from './refuse-files.ts'
import { spaceOfFile } from './space-of-file.ts'
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
    query: (sql, limits) => askInProcess({ file, sql, ...limits }),
    size: async () => spaceOfFile(file),
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
