import type { NewMessage } from '../outbox.ts'
import type { Session } from './connect.ts'

/** Within the caller's transaction. An existing message stays unchanged. */
export async function writeMessages(session: Session, messages: readonly NewMessage[], at: string): Promise<void> {
  if (messages.length === 0) return
  const byId = new Map(messages.toReversed().map((message) => [message.id, message]))
  const existing = await session.all<{ id: string }>(
    'SELECT id FROM hookdrift.notification WHERE id = ANY($1::text[])',
    [[...byId.keys()]],
  )
  for (const { id } of existing) byId.delete(id)
  const fresh = messages.filter((message) => byId.get(message.id) === message)
  if (fresh.length === 0) return
  const channels = fresh.map(({ channel }) => channel)
  // Locks the channels, in one order for all: numbers have no gaps.
  await session.run(
    `INSERT INTO hookdrift.channel (name) SELECT DISTINCT name FROM unnest($1::text[]) AS name ORDER BY name
     ON CONFLICT (name) DO UPDATE SET name = excluded.name`,
    [channels],
  )
  const written = await session.all<{ id: string }>(
    `WITH fresh AS (
       SELECT m.id, m.channel, c.written + row_number() OVER (PARTITION BY m.channel ORDER BY m.place) AS number,
         m.run, m.body
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS m (id, channel, run, body, place)
       JOIN hookdrift.channel c ON c.name = m.channel
       WHERE NOT EXISTS (SELECT 1 FROM hookdrift.notification n WHERE n.id = m.id)),
     counted AS (
       UPDATE hookdrift.channel c SET written = f.last
       FROM (SELECT channel, max(number) AS last FROM fresh GROUP BY channel) f WHERE c.name = f.channel)
     INSERT INTO hookdrift.notification (id, channel, number, run, created_at, body, next_try_at)
     SELECT id, channel, number, run, $5, body, $5 FROM fresh RETURNING id`,
    [fresh.map(({ id }) => id), channels, fresh.map(({ run }) => run), fresh.map(({ body }) => body), at],
  )
  const ids = new Set(written.map(({ id }) => id))
  await writeIncidents(
    session,
    fresh.filter(({ id }) => ids.has(id)),
  )
}

/** What a row of `incident` says: a subject of a channel is part of an incident. */
interface Subject {
  readonly channel: string
  readonly subject: string
  readonly key: string
}

/** One message after the other: a later one closes what an earlier one opened, and moves its subjects. */
async function writeIncidents(session: Session, messages: readonly NewMessage[]): Promise<void> {
  const closed: Pick<Subject, 'channel' | 'key'>[] = []
  const touched = new Map<string, Subject>()
  const open = new Map<string, Subject>()
  for (const { channel, incident } of messages) {
    if (incident === undefined) continue
    const { key, subjects } = incident
    if (subjects.length === 0) {
      closed.push({ channel, key })
      for (const [id, row] of open) if (row.channel === channel && row.key === key) open.delete(id)
    }
    for (const subject of subjects) {
      const row = { channel, subject, key }
      const id = JSON.stringify([channel, subject])
      touched.set(id, row)
      open.set(id, row)
    }
  }
  if (closed.length + touched.size === 0) return
  const left = [...touched.values()]
  await session.run(
    `DELETE FROM hookdrift.incident
     WHERE (channel, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))
       OR (channel, subject) IN (SELECT * FROM unnest($3::text[], $4::text[]))`,
    [
      ...[closed.map(({ channel }) => channel), closed.map(({ key }) => key)],
      ...[left.map(({ channel }) => channel), left.map(({ subject }) => subject)],
    ],
  )
  const rows = [...open.values()]
  await session.run(
    `INSERT INTO hookdrift.incident (channel, subject, key)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[])`,
    [rows.map(({ channel }) => channel), rows.map(({ subject }) => subject), rows.map(({ key }) => key)],
  )
}
