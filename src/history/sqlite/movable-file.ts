import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { makeDirectories } from '../make-directories.ts'
import type { HistoryRows, MovableHistory } from '../movable-history.ts'
import { makeRoom, markMoved, rowsIn, targetIn } from '../sql/copied-rows.ts'
import { chainOf } from '../sql/prune-history.ts'
import type { Session } from '../sql/session.ts'
import type { RowTarget } from '../table-rows.ts'
import { type LocalProcess, readLease } from './lease.ts'
import { refuseNetworkFileSystem } from './network-file-system.ts'
import { inOneFile, writeNewFile } from './new-file.ts'
import { openDatabase, schemaVersion } from './open-database.ts'
import { openOfSchema, openToExamine } from './open-to-examine.ts'
import { refuseMissing, refuseSpecialFile } from './refuse-files.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { verifyHistory } from './verify/verify-history.ts'

/** The history in a file. */
export function movableFile(file: string, owner: LocalProcess): MovableHistory {
  const now = () => new Date(owner.now()).toISOString()
  const open = () => openDatabase(file, now(), { owner })
  return {
    displayName: file,
    snapshot: (work) =>
      withDatabase(openToExamine(file), file, (db) => db.snapshot((session) => work(rowsOf(session, db)))),
    async move(to, work) {
      refuseMissing(file)
      // Also a run waits for the write lock, so none begins until the history is marked.
      return withDatabase(open(), file, (db) =>
        db.transaction(
          async (session) => {
            await readLease(session, owner, file)
            const result = await work(rowsOf(session, db))
            await markMoved(session, to, `'${now()}'`)
            return result
          },
          { isDurable: true },
        ),
      )
    },
    async fill(original, work) {
      refuseSpecialFile(file)
      refuseNetworkFileSystem(file, owner.mounts?.())
      if (!existsSync(file)) return fillNew(file, now(), work)
      return withDatabase(open(), file, (db) =>
        db.transaction(
          async (session) => {
            const refuseLive = () => readLease(session, owner, file)
            await makeRoom(session, { displayName: file, backendTables: [], original, refuseLive })
            return work({ ...rowsOf(session, db), ...targetIn(session) })
          },
          { isDurable: true },
        ),
      )
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

/** Within a transaction of the database. */
function rowsOf(session: Session, { connection }: SqliteDatabase): HistoryRows {
  return {
    ...rowsIn(session),
    verify: (request) => verifyHistory(connection, request),
    chainOf: (run) => chainOf(session, run),
  }
}

/** Closes the database afterwards. `file`: what messages call it. */
async function withDatabase<Result>(
  connection: Database,
  file: string,
  work: (db: SqliteDatabase) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(new SqliteDatabase(connection, file))
  } finally {
    connection.close()
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
      const result = await withDatabase(openDatabase(draft, now), file, (db) =>
        db.transaction((session) => work({ ...rowsOf(session, db), ...targetIn(session) })),
      )
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
