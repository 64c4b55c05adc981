import { fork } from 'node:child_process'
import type { Database } from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { programFile } from '../../model/package-files.ts'
import { largeQuery, slowQuery } from '../refused-queries.ts'
import { chainOf, isPruningDue, planPruning, pruneHistory, refuseToKeepNothing } from '../sql/prune-history.ts'
import { lastPruning } from '../sql/runs.ts'
import type { FreedDisk, HistoryUpkeep, PruneRequest, QueryAnswer, QueryLimits } from '../upkeep.ts'
import { backUp } from './back-up.ts'
import { withDamageDescribed } from './describe-damage.ts'
import type { LocalProcess } from './lease.ts'
import { refuseNetworkFileSystem } from './network-file-system.ts'
import { openDatabase } from './open-database.ts'
import { openToExamine } from './open-to-examine.ts'
import type { QueryMessage, QueryRequest } from './query-process.ts'
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
    query: (sql, limits) => askInProcess({ file, sql, ...limits }),
    close: async () => {},
  }
}

/**
 * Runs a query in a child process and kills it when the time is over: SQLite cannot be interrupted from within.
 * @throws AuditError.usage when the query is refused, fails, takes too long or gives too much
 */
export function askInProcess({ timeoutMs, ...request }: QueryRequest & QueryLimits): Promise<QueryAnswer> {
  return new Promise((resolve, reject) => {
    const child = fork(programFile('history/sqlite/query-process'), {
      execArgv: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
      serialization: 'advanced',
    })
    const rows: (readonly Json[])[] = []
    const fail = (error: AuditError) => finish(() => reject(error))
    const timer = setTimeout(() => fail(slowQuery(timeoutMs)), timeoutMs)
    const finish = (end: () => void) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      end()
    }
    child.on('message', (message: QueryMessage) => {
      if (message.kind === 'rows') for (const row of message.rows) rows.push(row)
      else if (message.kind === 'end') finish(() => resolve({ columns: message.columns, rows, isCut: message.isCut }))
      else if (message.kind === 'refused')
        fail(new AuditError(message.errorKind, message.message, { advice: message.advice ?? '' }))
      else fail(largeQuery(request.characters))
    })
    child.on('error', (error) => finish(() => reject(error)))
    child.on('exit', () =>
      fail(
        AuditError.usage('the query process exited, probably out of memory', {
          advice: 'ask for fewer columns or rows',
        }),
      ),
    )
    child.send(request)
  })
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
