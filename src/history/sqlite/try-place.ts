import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { asHistoryError } from './describe-damage.ts'
import { makeDraftDirectory } from './draft-directory.ts'
import { nearestRealPath } from './network-file-system.ts'
import { isWritable } from './open-unwritable.ts'

/**
 * Tries locks, shared memory and durable writing where a history lies, or would: in a directory next to it, which is
 * gone afterwards. Does nothing where this user may not write.
 * @throws AuditError.failure when one of them fails there
 */
export function tryPlace(file: string): void {
  const directory = nearestRealPath(dirname(file))
  if (!isWritable(directory)) return
  try {
    const { draft, close } = makeDraftDirectory(join(directory, basename(file)))
    try {
      write(draft)
    } finally {
      close()
    }
  } catch (error) {
    const described = asHistoryError(error, file)
    if (described instanceof AuditError) throw described
    throw AuditError.failure(`cannot write next to the history ${file}: ${reasonOf(error)}`, {
      advice: 'check the path, its permissions and the free space, or name another history',
      cause: error,
    })
  }
}

/** As a run does: the log and its index are in shared memory, and the end of the transaction waits for the disk. */
function write(file: string): void {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.exec('CREATE TABLE trial (number INTEGER)')
  } finally {
    db.close()
  }
}
