import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { openFleetFixture } from '../audit/fleet-fixture.ts'

/** A history of five audits of a fleet that breaks rules and changes, one of them incomplete, as bytes. */
export async function makeAuditedHistory(): Promise<Buffer> {
  await using fixture = await openFleetFixture({ fleet: { clean: false, projects: 3, incomingEvery: 3 } })
  await fixture.audit()
  fixture.set({ name: 'renamed', http_timeout: 90 })
  fixture.set({ status: 'paused' }, 1)
  await fixture.audit()
  fixture.service.failNext({ path: /\/endpoints/, page: 1, how: 'reset', times: 10 })
  await fixture.audit()
  fixture.service.faults.length = 0
  await fixture.audit()
  fixture.set({ name: fixture.endpointAt(2).row.name })
  await fixture.audit()
  const db = new Database(fixture.harness.file)
  // One file, without a log.
  db.pragma('journal_mode = DELETE')
  db.close()
  return readFileSync(fixture.harness.file)
}
