import type { Database } from 'better-sqlite3'
import type { ChannelState, NewMessage, Outbox, WaitingMessage } from '../outbox.ts'
import { cachedStatement } from './cached-statement.ts'
import { isLeaseLive, type Lease, type LocalProcess } from './lease.ts'
import { writeTransaction } from './write-transaction.ts'

const waitingColumns = `id, channel, number, run, created_at AS createdAt, state, attempts, next_try_at AS nextTryAt, error`

export function sqliteOutbox(db: Database, owner: LocalProcess): Outbox {
  const write = async <Result>(work: () => Result): Promise<Result> => writeTransaction(db, work)
  const now = () => new Date(owner.now()).toISOString()
  return {
    enqueue: (messages, at) => write(() => writeMessages(db, messages, at)),
    channels: async () =>
      cachedStatement<[], Omit<ChannelState, 'gone'> & { goneAt: string | null; goneTarget: string | null }>(
        db,
        `SELECT name, gone_at AS goneAt, gone_target AS goneTarget,
           (SELECT count(*) FROM notification n WHERE n.channel = name AND n.state = 'pending') AS pending,
           (SELECT count(*) FROM notification n WHERE n.channel = name AND n.state = 'dead') AS dead,
           (SELECT ended_at FROM notification n WHERE n.channel = name AND n.state = 'delivered'
              ORDER BY n.number DESC LIMIT 1) AS lastDeliveredAt
         FROM channel ORDER BY name`,
      )
        .all()
        .map(({ goneAt, goneTarget, ...state }) => ({
          ...state,
          gone: goneAt === null ? null : { at: goneAt, target: goneTarget ?? '' },
        })),
    undelivered: async () =>
      cachedStatement<[], WaitingMessage>(
        db,
        `SELECT ${waitingColumns} FROM notification WHERE state IN ('pending', 'dead') ORDER BY channel, number`,
      ).all(),
    firstWaiting: async (channel) =>
      cachedStatement<[string], WaitingMessage & { body: string }>(
        db,
        `SELECT ${waitingColumns}, body FROM notification WHERE channel = ? AND state = 'pending' ORDER BY number LIMIT 1`,
      ).get(channel),

    claim: (channel) =>
      write(() => {
        const claimed = cachedStatement<[string], Lease & { token: number }>(
          db,
          `SELECT token, host, boot_id AS bootId, pid, taken_at AS takenAt, heartbeat_at AS heartbeatAt
           FROM channel WHERE name = ?`,
        ).get(channel)
        if (claimed === undefined || isLeaseLive(claimed, owner)) return undefined
        const token = claimed.token + 1
        cachedStatement<unknown[], never>(
          db,
          `UPDATE channel SET token = ?, host = ?, boot_id = ?, pid = ?, taken_at = ?, heartbeat_at = ? WHERE name = ?`,
        ).run(token, owner.host, owner.bootId, owner.pid, now(), now(), channel)
        return token
      }),
    renew: (channel, token) =>
      write(() => {
        const renewed = cachedStatement<unknown[], never>(
          db,
          'UPDATE channel SET heartbeat_at = ? WHERE name = ? AND token = ?',
        ).run(now(), channel, token)
        return renewed.changes === 1
      }),
    release: (channel, token) =>
      write(() => {
        cachedStatement<unknown[], never>(
          db,
          "UPDATE channel SET heartbeat_at = '1970-01-01T00:00:00.000Z' WHERE name = ? AND token = ?",
        ).run(channel, token)
      }),

    delivered: (id, at) =>
      write(() => {
        cachedStatement<unknown[], never>(
          db,
          `UPDATE notification SET state = 'delivered', attempts = attempts + 1, error = NULL, ended_at = ?
           WHERE id = ? AND state = 'pending'`,
        ).run(at, id)
      }),
    failed: (id, { at, error, nextTryAt }) =>
      write(() => {
        cachedStatement<unknown[], never>(
          db,
          `UPDATE notification SET attempts = attempts + 1, error = @error,
             state = iif(@next IS NULL, 'dead', 'pending'), ended_at = iif(@next IS NULL, @at, NULL),
             next_try_at = ifnull(@next, next_try_at)
           WHERE id = @id AND state = 'pending'`,
        ).run({ id, at, error, next: nextTryAt ?? null })
      }),
    giveUp: (channel, before, at) =>
      write(
        () =>
          cachedStatement<unknown[], never>(
            db,
            `UPDATE notification SET state = 'dead', ended_at = ?
             WHERE channel = ? AND state = 'pending' AND created_at < ?`,
          ).run(at, channel, before).changes,
      ),
    markGone: (channel, gone) =>
      write(() => {
        cachedStatement<unknown[], never>(db, 'UPDATE channel SET gone_at = ?, gone_target = ? WHERE name = ?').run(
          gone?.at ?? null,
          gone?.target ?? null,
          channel,
        )
      }),
    async dropFinished(before) {
      // Called often: takes the write lock only when there is a message to delete.
      const oldest = cachedStatement<[string], number>(
        db,
        `SELECT 1 FROM channel c JOIN notification n ON n.channel = c.name AND n.number = c.dropped + 1
         WHERE n.ended_at < ?`,
      )
      if (oldest.get(before) !== undefined) await write(() => dropFinished(db, before))
    },
  }
}

/** Within the caller's transaction. An existing message stays unchanged. */
export function writeMessages(db: Database, messages: readonly NewMessage[], at: string): void {
  const existing = cachedStatement<[string], number>(db, 'SELECT 1 FROM notification WHERE id = ?')
  const number = cachedStatement<[string], number>(
    db,
    `INSERT INTO channel (name, written) VALUES (?, 1)
     ON CONFLICT (name) DO UPDATE SET written = written + 1 RETURNING written`,
  ).pluck()
  const insert = cachedStatement<unknown[], never>(
    db,
    `INSERT INTO notification (id, channel, number, run, created_at, body, next_try_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  for (const { id, channel, run, body, incident } of messages) {
    if (existing.get(id) !== undefined) continue
    insert.run(id, channel, number.get(channel), run, at, body, at)
    if (incident !== undefined) writeIncident(db, channel, incident)
  }
}

function writeIncident(db: Database, channel: string, { key, subjects }: NonNullable<NewMessage['incident']>): void {
  if (subjects.length === 0) {
    cachedStatement<unknown[], never>(db, 'DELETE FROM incident WHERE channel = ? AND key = ?').run(channel, key)
  }
  const insert = cachedStatement<unknown[], never>(
    db,
    'INSERT INTO incident (channel, subject, key) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET key = excluded.key',
  )
  for (const subject of subjects) insert.run(channel, subject, key)
}

/** Only from the front, so that a missing number behind it shows a deletion by another program. */
function dropFinished(db: Database, before: string): void {
  db.prepare(
    `UPDATE channel SET dropped = max(dropped, ifnull((SELECT min(n.number) FROM notification n
       WHERE n.channel = channel.name AND (n.ended_at IS NULL OR n.ended_at >= ?)), written + 1) - 1)`,
  ).run(before)
  db.prepare('DELETE FROM notification WHERE number <= (SELECT dropped FROM channel WHERE name = channel)').run()
}
