import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { AuditError, reasonOf } from '../../../model/errors.ts'
import { makeDirectories } from '../../make-directories.ts'
import type { HistoryRows, MovableHistory } from '../../movable-history.ts'
import { rowsIn, targetIn } from '../../sql/copied-rows.ts'
import { chainOf } from '../../sql/prune-history.ts'
import type { RowTarget } from '../../table-rows.ts'
import { asHistoryError } from '../describe-damage.ts'
import { type LocalProcess, readLease } from '../lease.ts'
import { refuseNetworkFileSystem } from '../network-file-system.ts'
import { inOneFile, writeNewFile } from '../new-file.ts'
import { openDatabase, schemaVersion } from '../open-database.ts'
import { openOfSchema, openToExamine } from '../open-to-examine.ts'
import { refuseMissing, refuseSpecialFile } from '../refuse-files.ts'
import { SqliteDatabase } from '../sqlite-database.ts'
import { verifyHistory } from '../verify/verify-history.ts'
import { makeRoom } from './make-room.ts'
import { markMoved } from './mark-moved.ts'

/** The history in a file. */
export function movableFile(file: string, owner: LocalProcess): MovableHistory {
  const now = () => new Date(owner.now()).toISOString()
  const open = () => openDatabase(file, now(), { owner })
  return {
    shown: file,
    snapshot: (work) => inTransaction(openToExamine(file), file, 'BEGIN', (db) => work(rowsOf(db))),
    async move(to, work) {
      refuseMissing(file)
      // Also a run waits for the write lock, so none begins until the history is marked.
      return inTransaction(open(), file, 'BEGIN IMMEDIATE', async (db) => {
        readLease(db, owner)
        const result = await work(rowsOf(db))
        markMoved(db, to, now())
        return result
      })
    },
    async fill(contains, work) {
      refuseSpecialFile(file)
      refuseNetworkFileSystem(file, owner.mounts?.())
      if (!existsSync(file)) return fillNew(file, now(), work)
      return inTransaction(open(), file, 'BEGIN IMMEDIATE', async (db) => {
        await makeRoom(db, owner, contains)
        return work(fillable(db))
      })
    },
    async upgrade() {
      const from = schemaOf(file)
      const db = open()
      const to = schemaVersion(db).has
      db.close()
      return { from, to }
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

function schemaOf(file: string): number {
  const db = openOfSchema(file, () => {})
  try {
    return schemaVersion(db).has
  } finally {
    db.close()
  }
}

function rowsOf(db: Database): HistoryRows {
  return {
    ...rowsIn(new SqliteDatabase(db)),
    verify: (request) => verifyHistory(db, request),
    chainOf: (run) => chainOf(new SqliteDatabase(db), run),
  }
}

function fillable(db: Database): HistoryRows & RowTarget {
  return { ...rowsOf(db), ...targetIn(new SqliteDatabase(db)) }
}

/** Closes the database afterwards, which rolls back what was not committed. */
async function inTransaction<Result>(
  db: Database,
  file: string,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE',
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  try {
    db.exec(begin)
    const result = await work(db)
    db.exec('COMMIT')
    return result
  } catch (error) {
    throw asHistoryError(error, file)
  } finally {
    db.close()
  }
}

async function fillNew<Result>(
  file: string,
  now: string,
  work: (target: HistoryRows & RowTarget) => Promise<Result>,
): Promise<Result> {
  try {
    makeDirectories(dirname(file))
    return await writeNewFile(file, false, async (draft) => {
      const result = await inTransaction(openDatabase(draft, now), file, 'BEGIN', (db) => work(fillable(db)))
      inOneFile(draft)
      return result
    })
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw AuditError.failure(`cannot write the history ${file}: ${reasonOf(error)}`, {
      advice: 'check that its directory is writable and has room, or name another file',
      cause: error,
    })
  }
}
