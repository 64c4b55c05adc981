import type { Database } from 'better-sqlite3'
import { isPruningDue, refuseToKeepNothing } from '../plan-runs.ts'
import { planPruning } from '../sql/plan-pruning.ts'
import type { HistoryUpkeep, PruneRequest } from '../upkeep.ts'
import { askInProcess } from './ask-in-process.ts'
import { backUp } from './back-up.ts'
import { withDamageDescribed } from './describe-damage.ts'
import type { LocalProcess } from './lease.ts'
import { openDatabase } from './open-database.ts'
import { openToExamine } from './open-to-examine.ts'
import { freeDisk } from './prune/free-disk.ts'
import { pruneHistory } from './prune/prune-history.ts'
import { refuseMissing } from './refuse-files.ts'
import { spaceOfFile } from './space-of-file.ts'
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
    const plan = await pruneHistory(new SqliteDatabase(db), owner, request)
    return { plan, freed: withDamageDescribed(file, () => freeDisk(db, steps)) }
  }
  return {
    verify: (request) => examine((db) => verifyHistory(db, request)),
    chainOf: (run) => examine((db) => readChain(db, run)),
    async planPruning(keep) {
      refuseToKeepNothing(keep)
      return examine((db) => new SqliteDatabase(db).snapshot((session) => planPruning(session, keep)))
    },
    prune: (request) => change((db) => prune(db, request)),
    pruneWhenDue: (request) =>
      change((db) => {
        if (!isPruningDue(lastPruning(db), owner.now())) return undefined
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

/** The chain's digest as of a run; undefined when there is no such run. */
export function readChain(db: Database, run: number): string | undefined {
  return db.prepare<[number], string>("SELECT chain FROM run WHERE number = ? AND state = 'committed'").pluck().get(run)
}

function lastPruning(db: Database): string | null {
  return db.prepare<[], string | null>('SELECT max(made_at) FROM checkpoint').pluck().get() ?? null
}
