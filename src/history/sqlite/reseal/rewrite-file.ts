import type Database from 'better-sqlite3'
import { messageOf } from '../../../model/errors.ts'
import { writeTransaction } from '../write-transaction.ts'

/**
 * Rewrites the file after rows were resealed: free pages and the log may still contain the former rows. Each opening of
 * the history tries again until it succeeds.
 */
export function rewriteFile(db: Database.Database, now: string, warn: (text: string) => void): void {
  const isDue = db.prepare("SELECT 1 FROM checkpoint WHERE reason = 'reseal' AND rewritten_at IS NULL")
  if (isDue.get() === undefined) return
  try {
    db.exec('VACUUM')
    // The log contains no former rows once all of it is in the file.
    if (!isLogEmptied(db)) throw new Error('another process reads it')
    const note = db.prepare("UPDATE checkpoint SET rewritten_at = ? WHERE reason = 'reseal' AND rewritten_at IS NULL")
    writeTransaction(db, () => note.run(now))
  } catch (error) {
    warn(
      `the history ${db.name} is resealed, but its file could not be rewritten (${messageOf(error)}): secrets in clear may remain in its free pages; make room for a copy of it, and the next command tries again`,
    )
  }
}

function isLogEmptied(db: Database.Database): boolean {
  // A list of one row, by SQLite's documentation.
  const [answer] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]
  return answer?.busy === 0
}
