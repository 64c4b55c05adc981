import type { Database } from 'better-sqlite3'
import { endOfTime, movedTo } from '../../lease-owner.ts'

/**
 * Marks a history as moved, within the caller's transaction: nothing takes the lease or a channel from then on, also no
 * earlier version of this program. `to`: as messages show it.
 */
export function markMoved(db: Database, to: string, now: string): void {
  const owner = { host: movedTo + to, now, end: endOfTime }
  const columns = "host = @host, boot_id = '', pid = 0, taken_at = @now, heartbeat_at = @end"
  db.prepare(
    `INSERT INTO lease (id, token, host, boot_id, pid, taken_at, heartbeat_at) VALUES (1, 1, @host, '', 0, @now, @end)
     ON CONFLICT (id) DO UPDATE SET token = token + 1, ${columns}`,
  ).run(owner)
  db.prepare(`UPDATE channel SET token = token + 1, ${columns}`).run(owner)
}

export function wasMoved(db: Database): boolean {
  return db.prepare('SELECT 1 FROM lease WHERE heartbeat_at = ?').get(endOfTime) !== undefined
}
