import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../../src/history/postgres/connect.ts'
import { askDatabase } from '../../../src/history/postgres/query/ask-database.ts'
import { readerGrants } from '../../../src/history/postgres/query/refuse-powers.ts'
import type { PostgresServer } from '../../../src/history/postgres-server.ts'
import { openQuery } from '../../../src/history/sqlite/run-query.ts'
import { explainViews } from '../../../src/history/sqlite/views.ts'
import { makeAuditedHistory } from '../audited-history.ts'
import { temporaryDatabasePath } from '../database-fixture.ts'
import { copyToPostgres } from '../move/copied.ts'
import { makeSoundHistory } from '../sound-history.ts'
import { administrate, hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'

const limits = { rows: 100_000, characters: 64_000_000, timeoutMs: 30_000 }
const login = `views_${process.pid}`
const explained = explainViews()

describe.skipIf(!hasPostgres)('the documented views', () => {
  const removals: (() => Promise<void> | void)[] = []
  const places: { file: string; server: PostgresServer }[] = []

  /** The same history in a file and in a database, whose views a login of its own may read. */
  async function makePlaces(write: (file: string) => Promise<void> | void): Promise<void> {
    const { file, remove } = temporaryDatabasePath()
    const database: TestDatabase = await makeDatabase()
    removals.push(remove, database.remove)
    await write(file)
    await copyToPostgres(file, database.server)
    const db = connect(database.server)
    for (const grant of readerGrants(database.server).split('\n'))
      await db.run(grant.replace('hookdrift_reader', login))
    await db.close()
    places.push({ file, server: { ...database.server, user: login } })
  }

  beforeAll(async () => {
    await administrate(`CREATE ROLE ${login} LOGIN`)
    await makePlaces(async (file) => writeFileSync(file, await makeSoundHistory()))
    await makePlaces(async (file) => writeFileSync(file, await makeAuditedHistory()))
  })
  afterAll(async () => {
    for (const remove of removals) await remove()
    await administrate(`DROP ROLE ${login}`)
  })

  const sorted = (rows: Iterable<unknown>) => [...rows].map((row) => JSON.stringify(row)).sort()

  it.each(explained)('$view has the same columns, rows and types as in a file', async ({ view, columns }) => {
    let rows = 0
    for (const { file, server } of places) {
      const query = openQuery(file, `SELECT * FROM ${view}`)
      const expected = { columns, rows: sorted(query.rows) }
      query.close()
      const found = await askDatabase(server, `SELECT * FROM ${view}`, limits)
      expect({ columns: found.columns, rows: sorted(found.rows) }).toEqual(expected)
      rows += found.rows.length
    }
    expect(rows).toBeGreaterThan(0)
  })
})
