import type { Database } from 'better-sqlite3'
import { type Check, sentences } from './check.ts'

/** About notifications. */
export const notificationChecks: readonly Check[] = [
  {
    id: 'I9',
    invariant: 'every message was delivered, waits or was given up, in order and under the id that it was written with',
    means: 'a receiver missed a message, or got one out of order or under another id',
    *find(db) {
      yield* sentences<{ channel: string; missing: number }>(
        db,
        missingSql,
        ({ channel, missing }) => `${missing} of the messages that were written for ${channel} are missing`,
      )
      yield* sentences<{ id: string; what: string }>(db, stateSql, ({ id, what }) => `message ${id} ${what}`)
      yield* misnamed(db)
    },
  },
]

/** Numbers begin at 1 and are dropped from the front only. */
const missingSql = `
  SELECT name AS channel, written - dropped - (SELECT count(*) FROM notification n WHERE n.channel = name
    AND n.number > dropped AND n.number <= written) AS missing FROM channel WHERE missing <> 0
  UNION ALL SELECT channel, count(*) FROM notification n
    WHERE NOT EXISTS (SELECT 1 FROM channel c WHERE c.name = n.channel) GROUP BY channel`

const stateSql = `
  SELECT id, 'is marked as delivered and was never tried' AS what FROM notification WHERE state = 'delivered' AND attempts < 1
  UNION ALL SELECT id, 'is delivered or given up, without a time' FROM notification WHERE state <> 'pending' AND ended_at IS NULL
  UNION ALL SELECT id, 'waits, and has a time of delivery' FROM notification WHERE state = 'pending' AND ended_at IS NOT NULL
  UNION ALL SELECT n.id, 'was delivered, although one before it waits' FROM notification n
    WHERE n.state = 'delivered' AND n.number > (SELECT min(w.number) FROM notification w
      WHERE w.channel = n.channel AND w.state = 'pending')
  UNION ALL SELECT id, 'is about run ' || run || ', which was never committed' FROM notification
    WHERE run IN (SELECT number FROM run WHERE state IN ('running', 'interrupted'))`

function* misnamed(db: Database): Generator<string> {
  const messages = db.prepare<[], { id: string; inside: string | null }>(
    "SELECT id, iif(json_valid(body), body ->> '$.id', NULL) AS inside FROM notification",
  )
  for (const { id, inside } of messages.iterate()) {
    if (inside !== id) yield `message ${id} has the id ${inside ?? 'null'} in its body`
  }
}
