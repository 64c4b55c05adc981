import { movedTo } from '../../lease-owner.ts'
import type { PostgresTransaction } from '../connect.ts'

// What a copy of the rows cannot show: rows of the place, and drafts.

const released = "'epoch'::timestamptz"
const running = "(SELECT max(number) FROM hookdrift.run WHERE state = 'running')"
const isMoved = `host LIKE '${movedTo}%'`

const isInvalidOwner = `(token < 0 OR pid < 0 OR (heartbeat_at <> ${released} AND NOT ${isMoved}
  AND (host = '' OR boot_id = '' OR pid = 0 OR token = 0)))`

/** A run takes the lease in the transaction that begins it, and releases it in the one that ends it. */
const ownersSql = `
  SELECT 'the lease names no valid owner' AS what FROM hookdrift.lease WHERE ${isInvalidOwner} OR id <> 1
  UNION ALL SELECT 'the lease is taken, and no run is being written' FROM hookdrift.lease
    WHERE heartbeat_at <> ${released} AND NOT ${isMoved} AND ${running} IS NULL
  UNION ALL SELECT 'run ' || ${running} || ' is being written, and the lease is free'
    WHERE ${running} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hookdrift.lease WHERE heartbeat_at <> ${released})
  UNION ALL SELECT 'channel ' || name || ' names no valid owner' FROM hookdrift.channel WHERE ${isInvalidOwner}`

export async function* findOwnerFaults(session: PostgresTransaction): AsyncGenerator<string> {
  for await (const { what } of session.iterate<{ what: string }>(ownersSql)) yield what
}

/** A run that was not committed ends nothing, and only one is being written. */
const draftsSql = `
  SELECT 'run ' || max(number) || ' is running, and so is another run' AS what FROM hookdrift.run
    WHERE state = 'running' HAVING count(*) > 1
  ${['version', 'violation', 'unreferenced']
    .map(
      (
        table,
      ) => `UNION ALL SELECT 'run ' || r.number || ' is not committed and ended ' || t.kind || ' ' || t.uid || ' in ${table}'
    FROM hookdrift.run r JOIN hookdrift.${table} t ON t.to_run = r.number WHERE r.state = 'running'`,
    )
    .join('\n  ')}`

export async function* findDraftFaults(session: PostgresTransaction): AsyncGenerator<string> {
  for await (const { what } of session.iterate<{ what: string }>(draftsSql)) yield what
}
