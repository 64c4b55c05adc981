import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examineDatabase } from '../../../src/history/postgres/examine-database.ts'
import { readSteps } from '../../../src/history/postgres/migrate.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import type { Verification } from '../../../src/history/upkeep.ts'
import { Machines } from '../processes.ts'
import { aStart, at, commit, walkAll } from '../samples.ts'
import { administrate, hasPostgres, makeDatabase, openDatabaseFixture } from './databases.ts'

const newest = readSteps().at(-1)?.version
const verified: Verification = { ok: true, run: null, checks: [] }
const verify = async () => verified
const login = `examined_${process.pid}`

describe.skipIf(!hasPostgres)('the examination of a history in a database', () => {
  const fixture = openDatabaseFixture()
  beforeAll(() => administrate(`CREATE ROLE ${login} LOGIN`))
  afterAll(() => administrate(`DROP ROLE ${login}`))

  const facts = {
    isReadableByOthers: false,
    isLocal: false,
    freeBytes: undefined,
    server: { version: expect.stringMatching(/^PostgreSQL \d+/), tls: undefined },
  }

  it('finds its schema, its runs and their key', async () => {
    const history = await openPostgresHistory(fixture.place.server, new Machines().process(1))
    for (const [hour, sealKeyId] of [
      [1, 'old'],
      [2, 'new'],
    ] as const) {
      const draft = await history.begin(aStart(at(hour), { sealKeyId }))
      await walkAll(draft)
      await commit(draft)
    }
    await (await history.begin(aStart(at(3), { sealKeyId: 'unused' }))).abandon(at(4))
    await history.close()
    const found = await examineDatabase(fixture.place.server, verify)
    expect(found).toEqual({
      ...facts,
      exists: true,
      isWritable: true,
      content: {
        schema: newest,
        knownSchema: newest,
        bytes: expect.any(Number),
        committedRuns: 2,
        sealKeyId: 'new',
        goneChannels: [],
        verification: verified,
      },
    })
    expect(found.content?.bytes).toBeGreaterThan(100_000)
  })

  it('does not verify a history of another schema', async () => {
    await fixture.db.run("INSERT INTO hookdrift.migration VALUES (99, 'later', '', '')")
    const never = async () => Promise.reject(new Error('it was verified'))
    const { content } = await examineDatabase(fixture.place.server, never)
    expect(content).toMatchObject({ schema: 99, knownSchema: newest, committedRuns: 0, verification: undefined })
  })

  it('says where there is none, and changes nothing', async () => {
    const empty = await makeDatabase({ empty: true })
    const expected = { ...facts, exists: false, isWritable: true, content: undefined }
    expect(await examineDatabase(empty.server, verify)).toEqual(expected)
    expect(await examineDatabase(empty.server, verify)).toEqual(expected)
    expect(await examineDatabase({ ...empty.server, user: login }, verify)).toEqual({ ...expected, isWritable: false })
    await empty.remove()
  })

  it('says whether the user may write every table', async () => {
    const isWritable = async () => (await examineDatabase({ ...fixture.place.server, user: login }, verify)).isWritable
    await fixture.db.run(`GRANT USAGE ON SCHEMA hookdrift TO ${login}`)
    await fixture.db.run(`GRANT SELECT ON ALL TABLES IN SCHEMA hookdrift TO ${login}`)
    expect(await isWritable()).toBe(false)
    await fixture.db.run(`GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hookdrift TO ${login}`)
    expect(await isWritable()).toBe(true)
    await fixture.db.run(`REVOKE DELETE ON hookdrift.lease FROM ${login}`)
    expect(await isWritable()).toBe(false)
  })

  it('fails where the database cannot be used', async () => {
    await expect(
      examineDatabase({ ...fixture.place.server, database: 'no_such_database' }, verify),
    ).rejects.toMatchObject({ exitCode: 4, message: expect.stringMatching(/does not exist/) })
    await expect(examineDatabase({ ...fixture.place.server, user: login }, verify)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/permission denied for schema hookdrift/),
    })
  })
})
