import { type KnownName, lastCharacter, mostNames, type Named, namesTimeoutMs } from '../known-names.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { connect } from './connect.ts'
import { readSchemaState, refuseOtherSchema } from './migrate.ts'

/** A server may be far away. */
const connectTimeoutMs = 1000

/**
 * The names of one sort that begin with a text, at most 200: for a person who waits. Reads only, and upgrades nothing.
 * Throws where there is no history of this program's schema.
 */
export async function readNames(server: PostgresServer, what: Named, prefix: string): Promise<readonly KnownName[]> {
  const db = connect(server, { connections: 1, connectTimeoutMs })
  try {
    return await db.snapshot(async (transaction) => {
      await transaction.run(`SET LOCAL statement_timeout = ${namesTimeoutMs}`)
      refuseOtherSchema(db.shown, await readSchemaState(transaction, db))
      const [sql, begins] = statements[what]
      return transaction.all<KnownName>(sql, [...begins(prefix), mostNames])
    })
  } finally {
    await db.close()
  }
}

type Begins = (prefix: string) => readonly string[]
const asRange: Begins = (prefix) => [prefix, prefix + lastCharacter]
/** Digits only: a pattern has no other meaning then. */
const asNumber: Begins = (prefix) => [prefix.replace(/\D/g, 'x')]

const statements: Readonly<Record<Named, readonly [sql: string, begins: Begins]>> = {
  runs: [
    `SELECT number::text AS value, started_at AS about FROM hookdrift.run
     WHERE state = 'committed' AND number::text LIKE $1 || '%' ORDER BY number DESC LIMIT $2`,
    asNumber,
  ],
  projects: [
    `SELECT DISTINCT l.value, '' AS about FROM hookdrift.project p CROSS JOIN LATERAL (
       SELECT s.name AS value FROM hookdrift.scan s WHERE s.project_id = p.id ORDER BY s.run DESC LIMIT 1) l
     WHERE l.value >= $1 AND l.value < $2 ORDER BY l.value LIMIT $3`,
    asRange,
  ],
  // By the index of resources, project by project, until there are enough.
  resources: [
    `SELECT l.value, l.about FROM hookdrift.project p
     CROSS JOIN unnest(ARRAY['endpoint', 'subscription', 'source', 'event_type', 'project']) AS k (kind)
     CROSS JOIN LATERAL (
       SELECT v.uid AS value, v.kind || ' ' || v.name AS about FROM hookdrift.version v
       WHERE v.project_id = p.id AND v.kind = k.kind AND v.to_run IS NULL
         AND v.uid >= $1 AND v.uid < $2
         AND v.from_run <= (SELECT max(number) FROM hookdrift.run WHERE state = 'committed')
       LIMIT $3) l LIMIT $3`,
    asRange,
  ],
  violations: [
    `SELECT fingerprint AS value, rule || ' ' || name AS about FROM hookdrift.violation
     WHERE fingerprint >= $1 AND fingerprint < $2 AND to_run IS NULL ORDER BY fingerprint LIMIT $3`,
    asRange,
  ],
}
