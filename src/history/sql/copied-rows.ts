import { endOfTime, movedTo } from '../lease-owner.ts'
import { type CopiedOriginal, refuseTaken } from '../movable-history.ts'
import {
  type HistoryTable,
  historyTables,
  mostRows,
  type Row,
  type RowCell,
  type RowSource,
  type RowTarget,
  sameRows,
} from '../table-rows.ts'
import type { Session, Transaction } from './session.ts'

const running = "SELECT number FROM hookdrift.run WHERE state = 'running'"

/** The rows of a history, in the state that the transaction sees: each batch follows the key of the one before it. */
export function rowsIn(session: Session): RowSource {
  return {
    async *rows(table) {
      for (let last: readonly RowCell[] | undefined; ; ) {
        const batch = await session.all<Readonly<Record<string, RowCell>>>(batchSql(table, last), last ?? [])
        if (batch.length === 0) return
        const columns = [...table.columns.keys()]
        yield batch.map((row): Row => columns.map((name) => row[name] ?? null))
        const end = batch.at(-1) ?? {}
        last = table.key.map((name) => end[name] ?? null)
      }
    },
  }
}

function batchSql({ name, columns, key, isCommitted }: HistoryTable, last: readonly RowCell[] | undefined): string {
  const marks = key.map((_, at) => `$${at + 1}`).join(', ')
  const follows = last === undefined ? '' : `AND (${key.join(', ')}) > (${marks})`
  return `SELECT ${[...columns.keys()].join(', ')} FROM hookdrift.${name}
    WHERE ${isCommitted(running)} ${follows} ORDER BY ${key.join(', ')} LIMIT ${mostRows}`
}

/** Writes rows, within the transaction. */
export function targetIn(transaction: Transaction): RowTarget {
  return { write: ({ name, columns }, rows) => transaction.insert(name, [...columns.keys()], rows) }
}

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

/**
 * Empties a history that was moved, if the original contains it, and a copy of the original. Within the caller's
 * transaction.
 * @throws AuditError.usage as `refuseTaken`
 * @throws AuditError.busy when a run lives
 */
export async function makeRoom(
  session: Session,
  { displayName, backendTables, original, refuseLive }: CopyTarget,
): Promise<void> {
  const moved = await session.value('SELECT 1 FROM hookdrift.lease WHERE heartbeat_at = $1', [endOfTime])
  const wasMoved = moved !== undefined
  if (!wasMoved) await refuseLive()
  const rows = historyTables.map(({ name }) => `(SELECT 1 FROM hookdrift.${name} LIMIT 1)`)
  const hasRows = (await session.value<number | null>(`SELECT coalesce(${rows.join(', ')})`)) === 1
  const last = await session.get<{ readonly number: number; readonly chain: string | null }>(
    "SELECT number, chain FROM hookdrift.run WHERE state = 'committed' ORDER BY number DESC LIMIT 1",
  )
  const isCopy = original.isMove && hasRows && !wasMoved && (await sameRows(original, rowsIn(session)))
  await refuseTaken({ displayName, hasRows, wasMoved, isCopy, last }, original)
  if (!wasMoved && !isCopy) return
  const names = [...historyTables.map(({ name }) => name), ...backendTables]
  for (const name of names.toReversed()) await session.run(`DELETE FROM hookdrift.${name}`)
  // The token goes on, so that a late write of a former owner fails.
  await session.run(
    "UPDATE hookdrift.lease SET token = token + 1, host = '', heartbeat_at = '1970-01-01T00:00:00.000Z'",
  )
}

/** The history that takes a copy. */
interface CopyTarget {
  /** For messages. */
  readonly displayName: string
  /** Tables that this database alone has, and that a history which was moved leaves. */
  readonly backendTables: readonly string[]
  readonly original: CopiedOriginal
  /** @throws AuditError.busy when a run lives */
  refuseLive(): Promise<unknown>
}
