import type { ChannelState, Outbox, WaitingMessage } from '../outbox.ts'
import { commitSurely } from './commit-surely.ts'
import type { PostgresDatabase } from './connect.ts'
import { isLive, type LeaseRow, leaseColumns, nowSql, type SharedProcess } from './lease.ts'
import { writeMessages } from './write-messages.ts'

const waitingColumns = `id, channel, number, run, created_at AS "createdAt", state, attempts,
  next_try_at AS "nextTryAt", error`

export function postgresOutbox(db: PostgresDatabase, owner: SharedProcess): Outbox {
  return {
    enqueue: (messages, at) =>
      commitSurely(db, {
        work: (session) => writeMessages(session, messages, at),
        subject: () => 'a notification',
        advice: '`hookdrift notify --pending` lists it once the server is up, if it is',
        async isRecorded(session) {
          // What is there stays as it is.
          await writeMessages(session, messages, at)
          return true
        },
      }),
    async channels() {
      const rows = await db.all<Omit<ChannelState, 'gone'> & { goneAt: string | null; goneTarget: string | null }>(
        `SELECT c.name, c.gone_at AS "goneAt", c.gone_target AS "goneTarget",
           (SELECT count(*) FROM hookdrift.notification n WHERE n.channel = c.name AND n.state = 'pending') AS pending,
           (SELECT count(*) FROM hookdrift.notification n WHERE n.channel = c.name AND n.state = 'dead') AS dead,
           (SELECT n.ended_at FROM hookdrift.notification n WHERE n.channel = c.name AND n.state = 'delivered'
              ORDER BY n.number DESC LIMIT 1) AS "lastDeliveredAt"
         FROM hookdrift.channel c ORDER BY c.name`,
      )
      return rows.map(({ goneAt, goneTarget, ...state }) => ({
        ...state,
        gone: goneAt === null ? null : { at: goneAt, target: goneTarget ?? '' },
      }))
    },
    undelivered: () =>
      db.all<WaitingMessage>(
        `SELECT ${waitingColumns} FROM hookdrift.notification WHERE state IN ('pending', 'dead')
         ORDER BY channel, number`,
      ),
    firstWaiting: (channel) =>
      db.get<WaitingMessage & { body: string }>(
        `SELECT ${waitingColumns}, body FROM hookdrift.notification WHERE channel = $1 AND state = 'pending'
         ORDER BY number LIMIT 1`,
        [channel],
      ),

    claim: (channel) =>
      db.transaction(async (session) => {
        const claimed = await session.get<LeaseRow>(
          `SELECT ${leaseColumns(owner)} FROM hookdrift.channel WHERE name = $1 FOR UPDATE`,
          [channel],
        )
        if (claimed === undefined || isLive(claimed, owner)) return undefined
        const now = nowSql(owner)
        return session.value<number>(
          `UPDATE hookdrift.channel SET token = token + 1, host = $2, boot_id = $3, pid = $4, taken_at = ${now},
             heartbeat_at = ${now} WHERE name = $1 RETURNING token`,
          [channel, owner.host, owner.bootId, owner.pid],
        )
      }),
    async renew(channel, token) {
      const sql = `UPDATE hookdrift.channel SET heartbeat_at = ${nowSql(owner)} WHERE name = $1 AND token = $2`
      return (await db.run(sql, [channel, token])) === 1
    },
    async release(channel, token) {
      const sql = "UPDATE hookdrift.channel SET heartbeat_at = 'epoch' WHERE name = $1 AND token = $2"
      await db.run(sql, [channel, token])
    },

    async delivered(id, at) {
      await db.run(
        `UPDATE hookdrift.notification SET state = 'delivered', attempts = attempts + 1, error = NULL, ended_at = $2
         WHERE id = $1 AND state = 'pending'`,
        [id, at],
      )
    },
    async failed(id, { at, error, nextTryAt }) {
      await db.run(
        `UPDATE hookdrift.notification SET attempts = attempts + 1, error = $3,
           state = CASE WHEN $4::text IS NULL THEN 'dead' ELSE 'pending' END,
           ended_at = CASE WHEN $4::text IS NULL THEN $2 END, next_try_at = coalesce($4, next_try_at)
         WHERE id = $1 AND state = 'pending'`,
        [id, at, error, nextTryAt ?? null],
      )
    },
    giveUp: (channel, before, at) =>
      db.run(
        `UPDATE hookdrift.notification SET state = 'dead', ended_at = $3
         WHERE channel = $1 AND state = 'pending' AND created_at < $2`,
        [channel, before, at],
      ),
    async markGone(channel, gone) {
      const sql = 'UPDATE hookdrift.channel SET gone_at = $2, gone_target = $3 WHERE name = $1'
      await db.run(sql, [channel, gone?.at ?? null, gone?.target ?? null])
    },
    async dropFinished(before) {
      // Called often: locks channels only when there is a message to delete.
      const due = await db.all<{ name: string }>(
        `SELECT c.name FROM hookdrift.channel c JOIN hookdrift.notification n
           ON n.channel = c.name AND n.number = c.dropped + 1 WHERE n.ended_at < $1`,
        [before],
      )
      const names = due.map(({ name }) => name)
      if (names.length > 0) await dropFinished(db, names, before)
    },
  }
}

/** Only from the front, so that a missing number behind it shows a deletion by another program. */
function dropFinished(db: PostgresDatabase, channels: readonly string[], before: string): Promise<void> {
  return db.transaction(async (session) => {
    // A message that is written meanwhile must not be dropped with those before it.
    await session.run('SELECT FROM hookdrift.channel WHERE name = ANY($1::text[]) ORDER BY name FOR UPDATE', [channels])
    await session.run(
      `UPDATE hookdrift.channel c SET dropped = greatest(c.dropped, coalesce((SELECT min(n.number)
         FROM hookdrift.notification n WHERE n.channel = c.name AND (n.ended_at IS NULL OR n.ended_at >= $2)),
         c.written + 1) - 1) WHERE c.name = ANY($1::text[])`,
      [channels, before],
    )
    await session.run(
      `DELETE FROM hookdrift.notification n USING hookdrift.channel c
       WHERE c.name = ANY($1::text[]) AND n.channel = c.name AND n.number <= c.dropped`,
      [channels],
    )
  })
}
