import { endOfTime, movedTo } from '../lease-owner.ts'
import { type ContainsLink, refuseTaken } from '../movable-history.ts'
import { historyTables } from '../table-rows.ts'
import type { Session } from './session.ts'

/**
 * Marks a history as moved, within the caller's transaction: nothing takes the lease or a channel from then on, also no
 * earlier version of this program. `to`: as messages show it. `now`: SQL.
 */
export async function markMoved(session: Session, to: string, now: string): Promise<void> {
  const columns = `host = $1, boot_id = '', pid = 0, taken_at = ${now}, heartbeat_at = '${endOfTime}'`
  await session.run(
    `INSERT INTO hookdrift.lease AS l (id, token, host, boot_id, pid, taken_at, heartbeat_at)
     VALUES (1, 1, $1, '', 0, ${now}, '${endOfTime}') ON CONFLICT (id) DO UPDATE SET token = l.token + 1, ${columns}`,
    [movedTo + to],
  )
  await session.run(`UPDATE hookdrift.channel SET token = token + 1, ${columns}`, [movedTo + to])
}

/** The place for a copy. */
export interface CopyPlace {
  /** For messages. */
  readonly shown: string
  /** Tables that this database alone has, and that a history which was moved leaves. */
  readonly ownTables: readonly string[]
  readonly contains: ContainsLink
  /** @throws AuditError.busy when a run lives */
  refuseLive(): Promise<unknown>
}

/**
 * Empties a history that was moved, if the copy contains it. Within the caller's transaction.
 * @throws AuditError.usage as `refuseTaken`
 * @throws AuditError.busy when a run lives
 */
export async function makeRoom(session: Session, { shown, ownTables, contains, refuseLive }: CopyPlace): Promise<void> {
  const moved = await session.value('SELECT 1 FROM hookdrift.lease WHERE heartbeat_at = $1', [endOfTime])
  const wasMoved = moved !== undefined
  if (!wasMoved) await refuseLive()
  const rows = historyTables.map(({ name }) => `(SELECT 1 FROM hookdrift.${name} LIMIT 1)`)
  const hasRows = (await session.value<number | null>(`SELECT coalesce(${rows.join(', ')})`)) === 1
  const last = await session.get<{ readonly number: number; readonly chain: string | null }>(
    "SELECT number, chain FROM hookdrift.run WHERE state = 'committed' ORDER BY number DESC LIMIT 1",
  )
  await refuseTaken({ shown, hasRows, wasMoved, last }, contains)
  if (!wasMoved) return
  const names = [...historyTables.map(({ name }) => name), ...ownTables]
  for (const name of names.toReversed()) await session.run(`DELETE FROM hookdrift.${name}`)
  // The token goes on, so that a late write of a former owner fails.
  await session.run(
    "UPDATE hookdrift.lease SET token = token + 1, host = '', heartbeat_at = '1970-01-01T00:00:00.000Z'",
  )
}
