import type { GoneChannel } from '../examination.ts'
import type {
  ChannelClaims,
  ChannelState,
  IncidentSubjects,
  LastMessage,
  NewMessage,
  Outbox,
  StoredTicket,
  WaitingMessage,
} from '../outbox.ts'
import type { HistoryReader } from '../reader.ts'
import { compareText } from '../report-order.ts'
import type { HistoryBackend } from './backend.ts'
import type { Session, Transaction } from './session.ts'

const waitingColumns = `id, channel, number, run, created_at AS "createdAt", state, attempts,
  next_try_at AS "nextTryAt", error`

/** Every channel that ever had a message, by name. */
export async function listChannels(history: HistoryReader): Promise<readonly ChannelState[]> {
  const rows = await history.ask((session) =>
    session.all<ChannelRow>(
      `SELECT c.name, c.gone_at AS "goneAt", c.gone_target AS "goneTarget",
         (SELECT count(*) FROM hookdrift.notification n WHERE n.channel = c.name AND n.state = 'pending') AS pending,
         (SELECT count(*) FROM hookdrift.notification n WHERE n.channel = c.name AND n.state = 'dead') AS dead,
         (SELECT n.ended_at FROM hookdrift.notification n WHERE n.channel = c.name AND n.state = 'delivered'
            ORDER BY n.number DESC LIMIT 1) AS "lastDeliveredAt",
         m.created_at AS "createdAt", m.state, m.ended_at AS "endedAt"
       FROM hookdrift.channel c LEFT JOIN hookdrift.notification m ON m.channel = c.name
         AND m.number = (SELECT max(n.number) FROM hookdrift.notification n WHERE n.channel = c.name)
       ORDER BY c.name`,
    ),
  )
  return rows.map(({ goneAt, goneTarget, createdAt, state, endedAt, ...channel }) => ({
    ...channel,
    lastMessage: createdAt === null || state === null ? null : { createdAt, state, endedAt },
    gone: goneAt === null ? null : { at: goneAt, target: goneTarget ?? '' },
  }))
}

type ChannelRow = Omit<ChannelState, 'gone' | 'lastMessage'> & {
  readonly [Member in keyof LastMessage]: LastMessage[Member] | null
} & { readonly goneAt: string | null; readonly goneTarget: string | null }

/** Channels whose receivers want no further messages, asked of a database. */
export function goneChannelsIn(session: Session): Promise<readonly GoneChannel[]> {
  return session.all('SELECT name, gone_at AS at FROM hookdrift.channel WHERE gone_at IS NOT NULL ORDER BY name')
}

/** Messages that wait or were given up, by channel and number. */
export async function listUndelivered(history: HistoryReader): Promise<readonly WaitingMessage[]> {
  const sql = `SELECT ${waitingColumns} FROM hookdrift.notification WHERE state IN ('pending', 'dead')
    ORDER BY channel, number`
  return history.ask((session) => session.all(sql))
}

/** The first waiting message of a channel. */
export async function findFirstWaiting(
  history: HistoryReader,
  channel: string,
): Promise<(WaitingMessage & { readonly body: string }) | undefined> {
  const sql = `SELECT ${waitingColumns}, body FROM hookdrift.notification WHERE channel = $1 AND state = 'pending'
    ORDER BY number LIMIT 1`
  return history.ask((session) => session.get(sql, [channel]))
}

/** The body of the newest message that is about no run: a worker wrote it about itself. Undefined without any. */
export async function findLastOfWorker(history: HistoryReader): Promise<string | undefined> {
  const sql = `SELECT body FROM hookdrift.notification WHERE run IS NULL
    ORDER BY created_at DESC, channel, number DESC LIMIT 1`
  return (await history.ask((session) => session.get<{ readonly body: string }>(sql)))?.body
}

/** What is known of the ticket of a key at a tracker. */
export async function findTicket(
  history: HistoryReader,
  channel: string,
  { key, target }: Pick<StoredTicket, 'key' | 'target'>,
): Promise<StoredTicket | undefined> {
  const sql = `SELECT key, target, reference, changed_at AS "changedAt" FROM hookdrift.incident
    WHERE channel = $1 AND key = $2 AND target = $3`
  return history.ask((session) => session.get(sql, [channel, key, target]))
}

/** When a tracker last changed a ticket, as far as it is known. */
export async function findLastTicketChange(
  history: HistoryReader,
  channel: string,
  target: string,
): Promise<string | undefined> {
  const sql = `SELECT max(changed_at) AS "changedAt" FROM hookdrift.incident
    WHERE channel = $1 AND target = $2 AND reference IS NOT NULL`
  const row = await history.ask((session) => session.get<{ changedAt: string | null }>(sql, [channel, target]))
  return row?.changedAt ?? undefined
}

export function sqlOutbox({ db, commitSurely }: HistoryBackend, claims: ChannelClaims): Outbox {
  return {
    ...claims,
    enqueue: (messages, at) =>
      commitSurely({
        work: (transaction) => writeMessages(transaction, messages, at),
        subject: () => 'a notification',
        advice: '`hookdrift notify --pending` lists it once the server is up, if it is',
        async isRecorded(transaction) {
          // What is there stays as it is.
          await writeMessages(transaction, messages, at)
          return true
        },
      }),
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
    async rememberTicket(channel, { key, target, reference, changedAt }) {
      await db.run(
        `INSERT INTO hookdrift.incident (channel, key, target, reference, changed_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (channel, key) DO UPDATE
           SET target = excluded.target, reference = excluded.reference, changed_at = excluded.changed_at`,
        [channel, key, target, reference, changedAt],
      )
    },
    async dropFinished(before) {
      // Called often: locks channels only when there is a message to delete.
      const due = await db.column<string>(
        `SELECT c.name FROM hookdrift.channel c CROSS JOIN hookdrift.notification n
         WHERE n.channel = c.name AND n.number = c.dropped + 1 AND n.ended_at < $1`,
        [before],
      )
      for (const name of due) await db.transaction((transaction) => dropFinished(transaction, name, before))
    },
  }
}

/** Within the caller's transaction. An existing message stays unchanged. */
export async function writeMessages(
  transaction: Transaction,
  messages: readonly NewMessage[],
  at: string,
): Promise<void> {
  const ofChannels = Map.groupBy(await withoutWritten(transaction, messages), ({ channel }) => channel)
  // Every process locks channels in this order.
  for (const [channel, missing] of [...ofChannels].sort(([a], [b]) => compareText(a, b))) {
    const last = await lockChannel(transaction, channel)
    // Another process may have written some before it was locked.
    const fresh = await withoutWritten(transaction, missing)
    await transaction.insert(
      'notification',
      messageColumns,
      fresh.map(({ id, run, body }, index) => [id, channel, last + index + 1, run, at, body, at]),
    )
    await transaction.run('UPDATE hookdrift.channel SET written = $2 WHERE name = $1', [channel, last + fresh.length])
    const incidents = fresh.flatMap(({ incidents = [] }) => incidents)
    if (incidents.length > 0) await writeIncidents(transaction, channel, incidents)
  }
}

const messageColumns = ['id', 'channel', 'number', 'run', 'created_at', 'body', 'next_try_at']

/** The first message of each id that is not there. */
async function withoutWritten(session: Session, messages: readonly NewMessage[]): Promise<readonly NewMessage[]> {
  if (messages.length === 0) return []
  const ids = messages.map(({ id }) => id)
  const writtenIds = new Set(
    await session.column<string>('SELECT id FROM hookdrift.notification WHERE id = ANY($1)', [ids]),
  )
  return messages.filter(({ id }) => {
    const isNew = !writtenIds.has(id)
    writtenIds.add(id)
    return isNew
  })
}

/** Keeps others from numbering messages meanwhile, so that numbers have no gaps. Returns the last number. */
async function lockChannel(transaction: Transaction, channel: string): Promise<number> {
  const last = await transaction.value<number>(
    `INSERT INTO hookdrift.channel AS c (name) VALUES ($1)
     ON CONFLICT (name) DO UPDATE SET written = c.written RETURNING written`,
    [channel],
  )
  return last ?? 0
}

/** An incident that has ended stays as long as its receiver has a ticket of it, which the next one opens again. */
async function writeIncidents(
  transaction: Transaction,
  channel: string,
  incidents: readonly IncidentSubjects[],
): Promise<void> {
  for (const { key, subjects } of incidents) {
    await transaction.run(
      `INSERT INTO hookdrift.incident (channel, key, subjects) VALUES ($1, $2, $3)
       ON CONFLICT (channel, key) DO UPDATE SET subjects = excluded.subjects`,
      [channel, key, JSON.stringify(subjects)],
    )
  }
  const sql = "DELETE FROM hookdrift.incident WHERE channel = $1 AND subjects = '[]' AND target IS NULL"
  await transaction.run(sql, [channel])
}

/** Only from the front, so that a missing number behind it shows a deletion by another program. */
async function dropFinished(transaction: Transaction, channel: string, before: string): Promise<void> {
  // Locks it: a message that is written meanwhile must not be dropped with those before it.
  await transaction.run('UPDATE hookdrift.channel SET dropped = dropped WHERE name = $1', [channel])
  await transaction.run(
    `UPDATE hookdrift.channel SET dropped = coalesce((SELECT min(n.number) - 1 FROM hookdrift.notification n
       WHERE n.channel = $1 AND n.number > dropped AND (n.ended_at IS NULL OR n.ended_at >= $2)), written)
     WHERE name = $1`,
    [channel, before],
  )
  await transaction.run(
    `DELETE FROM hookdrift.notification WHERE channel = $1
       AND number <= (SELECT dropped FROM hookdrift.channel WHERE name = $1)`,
    [channel],
  )
}
