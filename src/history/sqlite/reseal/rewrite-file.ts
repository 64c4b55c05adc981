import type Database from 'better-sqlite3'
import { messageOf } from '../../../model/errors.ts'
import { writeTransaction } from '../write-transaction.ts'

/**
 * Writes the file anew once rows of it were resealed: what they held before may lie in free pages and in the log. Tried
 * again each time that the history is opened, until it is done.
 */
export function rewriteFile(db: Database.Database, now: string, tell: (text: string) => void): void {
  const isDue = db.prepare("SELECT 1 FROM checkpoint WHERE reason = 'reseal' AND rewritten_at IS NULL")
  if (isDue.get() === undefined) return
  try {
    db.exec('VACUUM')
    // Nothing of before is left in the log once all of it is in the file.
    if (!isLogEmptied(db)) throw new Error('another process reads it')
    const note = db.prepare("UPDATE checkpoint SET rewritten_at = ? WHERE reason = 'reseal' AND rewritten_at IS NULL")
    writeTransaction(db, () => note.run(now))
  } catch (error) {
    tell(
      `the history ${db.name} is sealed anew, and could not be written anew (${messageOf(error)}): what was in clear may lie in its free pages; make room for a copy of it, and the next command tries again`,
    )
  }
}

function isLogEmptied(db: Database.Database): boolean {
  // A list of one row, by SQLite's documentation.
  const [answer] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]
  return answer?.busy === 0
}
