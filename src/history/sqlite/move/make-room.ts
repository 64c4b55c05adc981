import type { Database } from 'better-sqlite3'
import { type ContainsLink, refuseTaken } from '../../movable-history.ts'
import { historyTables } from '../../table-rows.ts'
import { type LocalProcess, readLease } from '../lease.ts'
import { wasMoved } from './mark-moved.ts'

/**
 * Empties a history that was moved, if the copy contains it. Within the caller's transaction.
 * @throws AuditError.usage as `refuseTaken`
 * @throws AuditError.busy when a run lives
 */
export async function makeRoom(db: Database, owner: LocalProcess, contains: ContainsLink): Promise<void> {
  const isBack = wasMoved(db)
  if (!isBack) readLease(db, owner)
  const hasRows = historyTables.some(({ name }) => db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined)
  const last = db
    .prepare<[], { number: number; chain: string | null }>(
      "SELECT number, chain FROM run WHERE state = 'committed' ORDER BY number DESC LIMIT 1",
    )
    .get()
  await refuseTaken({ shown: db.name, hasRows, wasMoved: isBack, last }, contains)
  if (!isBack) return
  for (const { name } of historyTables.toReversed()) db.exec(`DELETE FROM ${name}`)
  // The token goes on, so that a late write of a former owner fails.
  db.exec("UPDATE lease SET token = token + 1, host = '', heartbeat_at = '1970-01-01T00:00:00.000Z'")
}
