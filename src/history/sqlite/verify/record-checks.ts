import type { Database } from 'better-sqlite3'
import { endOfTime, movedTo } from '../../lease-owner.ts'
import { type Check, isInvalidTime, sentences } from './check.ts'

/** Rows that no run records and no link covers, and messages. */
export const recordChecks: readonly Check[] = [
  {
    id: 'records',
    invariant: 'lease, projects, first complete scans, documents, channels and checkpoints are valid',
    means: 'another program altered rows that identify runs and messages',
    *find(db) {
      for (const { sql } of questions) yield* sentences<{ what: string }>(db, sql, ({ what }) => what)
    },
  },
  {
    id: 'I9',
    invariant: 'every message was delivered, waits or is undeliverable, in order and under its id',
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

const released = '1970-01-01T00:00:00.000Z'
const isReleased = `heartbeat_at = '${released}'`
const isMoved = `(heartbeat_at = '${endOfTime}' AND host LIKE '${movedTo}%')`
const running = "(SELECT max(number) FROM run WHERE state = 'running')"

/** These columns identify an owner, also one that is gone. Times are not compared, because clocks go back. */
const isInvalidOwner = `(token < 0 OR pid < 0 OR ${isInvalidTime('taken_at')} OR ${isInvalidTime('heartbeat_at')}
  OR (NOT ${isReleased} AND NOT ${isMoved} AND (host = '' OR boot_id = '' OR pid = 0 OR token = 0)))`

/** A run takes the lease in the transaction that begins it, and releases it in the one that ends it. */
const lease = `
  SELECT 'the lease has ' || count(*) || ' rows' AS what FROM lease HAVING count(*) > 1
  UNION ALL SELECT 'the lease names no valid owner' FROM lease WHERE ${isInvalidOwner} OR id <> 1
  UNION ALL SELECT 'the lease is taken, and no run is being written' FROM lease
    WHERE NOT ${isReleased} AND NOT ${isMoved} AND ${running} IS NULL
  UNION ALL SELECT 'run ' || ${running} || ' is being written, and the lease is free'
    WHERE ${running} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM lease WHERE NOT ${isReleased})`

/** Runs scan the policy like a project, so it has a row from the first run on. */
const projects = `
  SELECT 'project ' || id || ' has no service, and is not the policy' AS what FROM project WHERE service = '' AND uid <> 'policy'
  UNION ALL SELECT 'the policy is missing among the projects' WHERE EXISTS (SELECT 1 FROM run WHERE state = 'committed')
    AND NOT EXISTS (SELECT 1 FROM project WHERE service = '' AND uid = 'policy')`

const walks = `
  SELECT 'the walk of ' || w.listing || ' in run ' || w.run || ' is complete, and not noted so' AS what FROM walk w
    WHERE w.status = 'complete' AND NOT EXISTS (SELECT 1 FROM first_complete_walk f
      WHERE f.project_id = w.project_id AND f.listing = w.listing AND f.run <= w.run)`

const documents = `
  SELECT 'no run refers to document ' || substr(sha256, 1, 12) || '…' AS what FROM document WHERE sha256 NOT IN (
    SELECT rules_document FROM run WHERE rules_document IS NOT NULL)
  UNION ALL SELECT 'no scan refers to evaluation ' || id FROM evaluation
    WHERE id NOT IN (SELECT evaluation FROM scan WHERE evaluation IS NOT NULL)
  UNION ALL SELECT 'the evaluation of project ' || s.project_id || ' in run ' || s.run || ' is missing' FROM scan s
    WHERE s.evaluation IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM evaluation e WHERE e.id = s.evaluation AND e.project_id = s.project_id)`

const channels = `
  SELECT 'channel ' || name || ' names no valid owner' AS what FROM channel WHERE ${isInvalidOwner}
  UNION ALL SELECT 'channel ' || name || ' has dropped more messages than it has written' FROM channel WHERE dropped > written OR dropped < 0
  UNION ALL SELECT 'channel ' || name || ' is gone since an invalid time' FROM channel
    WHERE (gone_at IS NOT NULL AND ${isInvalidTime('gone_at')}) OR (gone_at IS NULL) <> (gone_target IS NULL)
  UNION ALL SELECT 'message ' || id || ' has invalid times' FROM notification
    WHERE ${isInvalidTime('created_at')} OR ${isInvalidTime('next_try_at')} OR (ended_at IS NOT NULL AND ${isInvalidTime('ended_at')})
  UNION ALL SELECT 'message ' || id || ' was never tried, and waits after a failure' FROM notification
    WHERE attempts < 0 OR (attempts = 0 AND state = 'pending' AND (error IS NOT NULL OR next_try_at <> created_at))
  UNION ALL SELECT 'message ' || id || ' was delivered and has an error' FROM notification WHERE state = 'delivered' AND error IS NOT NULL
  UNION ALL SELECT 'message ' || id || ' is there, although it was dropped' FROM notification n
    WHERE number <= (SELECT dropped FROM channel WHERE name = n.channel)
  UNION ALL SELECT 'message ' || id || ' has another run or time in its body' FROM notification WHERE json_valid(body)
    AND (ifnull(body ->> '$.run.number', run) IS NOT run OR ifnull(body ->> '$.created_at', created_at) <> created_at)
  UNION ALL SELECT 'run ' || u.run || ' is marked as unnotified, and did not scan such a project' FROM unnotified_scan u
    WHERE NOT EXISTS (SELECT 1 FROM scan s WHERE s.project_id = u.project_id AND s.run = u.run)
      AND (u.run IN (SELECT number FROM run WHERE state = 'committed') OR NOT EXISTS (SELECT 1 FROM checkpoint))`

const questions = [lease, projects, walks, documents, channels].map((sql) => ({ sql }))

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
