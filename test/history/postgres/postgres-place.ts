import type { History } from '../../../src/history/history.ts'
import { connect, type PostgresSession } from '../../../src/history/postgres/connect.ts'
import { leaseExpiryMs } from '../../../src/history/postgres/lease.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import type { Place } from '../contract-fixture.ts'
import { makeDatabase } from './databases.ts'

/** A history in a database of its own, on the clock of the test's machines. */
export function makePostgresPlace(): Place {
  const making = makeDatabase()
  const opened: History[] = []
  return {
    expiryS: leaseExpiryMs / 1000,
    async open(process) {
      const history = await openPostgresHistory((await making).server, { ...process, isClockOwn: true })
      opened.push(history)
      return history
    },
    async dispose() {
      for (const history of opened) await history.close().catch(() => {})
      const database = await making
      const db = connect(database.server)
      const faults = await faultsIn(db)
      await db.close()
      await database.remove()
      return faults
    },
  }
}

/** What the promises about rows find wrong in a history. The server holds the foreign keys. */
export async function faultsIn(session: PostgresSession): Promise<string[]> {
  const texts = async (sql: string) => (await session.all<{ text: string }>(sql)).map(({ text }) => text)
  const faults: string[] = []
  // Versions of a resource, and spans of a violation, neither overlap nor end before they began.
  for (const [table, key] of [
    ['version', 'a.project_id = b.project_id AND a.kind = b.kind AND a.uid = b.uid'],
    ['violation', 'a.fingerprint = b.fingerprint'],
  ]) {
    faults.push(
      ...(await texts(
        `SELECT 'overlap: ' || a.uid AS text FROM hookdrift.${table} a JOIN hookdrift.${table} b ON ${key} AND b.id > a.id
         JOIN hookdrift.run r ON r.number = b.from_run AND r.state = 'committed'
         WHERE a.to_run IS NULL OR a.to_run > b.from_run`,
      )),
    )
  }
  for (const table of ['version', 'violation', 'unreferenced']) {
    faults.push(
      ...(await texts(
        `SELECT 'ends before it begins: ' || uid AS text FROM hookdrift.${table} WHERE to_run <= from_run`,
      )),
      ...(await texts(
        `SELECT 'ended by an uncommitted run: ' || uid AS text FROM hookdrift.${table} x
         JOIN hookdrift.run r ON r.number = x.to_run WHERE r.state <> 'committed'`,
      )),
      ...(await texts(
        `SELECT 'left by an interrupted run: ' || uid AS text FROM hookdrift.${table} x
         JOIN hookdrift.run r ON r.number = x.from_run WHERE r.state = 'interrupted'`,
      )),
    )
  }
  for (const table of ['walk', 'scan', 'change', 'notice', 'withheld_removal']) {
    faults.push(
      ...(await texts(
        `SELECT 'left by an interrupted run in ${table}' AS text FROM hookdrift.${table} x
         JOIN hookdrift.run r ON r.number = x.run WHERE r.state = 'interrupted'`,
      )),
    )
  }
  return faults
}
