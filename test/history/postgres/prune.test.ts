import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { backUpDatabase, chainOf, verifyDatabase } from '../../../src/app/copy-database.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { postgresUpkeep } from '../../../src/history/postgres/postgres-upkeep.ts'
import { keepNothing } from '../../../src/history/retention.ts'
import type { HistoryUpkeep } from '../../../src/history/upkeep.ts'
import { openSecrets } from '../../../src/inventory/open-secrets.ts'
import { knownIn } from '../known-in.ts'
import { Machines, type Process } from '../processes.ts'
import { describePruning, type PrunePlace } from '../prune-contract.ts'
import { aStart, at, aVersion, payments, walkAll } from '../samples.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'

function upkeepOf({ server }: TestDatabase, process: Process): HistoryUpkeep {
  return postgresUpkeep(
    server,
    { ...process, isClockOwn: true },
    {
      queryServer: () => undefined,
      verify: (request) => verifyDatabase(server, request),
      chainOf: (run) => chainOf(server, run),
      backUp: (target, request) => backUpDatabase(server, target, request),
    },
  )
}

function placeOf(database: TestDatabase): PrunePlace {
  const { server, remove } = database
  return {
    open: (process) => openPostgresHistory(server, { ...process, isClockOwn: true }),
    upkeep: (process) => upkeepOf(database, process),
    verify: () => verifyDatabase(server, { depth: 'deep', exitCodeOf: () => 0, openSecrets }),
    async execute(sql) {
      const { host = '', user = '', database: name = '' } = server
      const client = new Client({ host, user, database: name, options: '-c search_path=hookdrift' })
      await client.connect()
      try {
        const { command, rows, rowCount } = await client.query(sql)
        return command === 'SELECT' ? rows.map(withNumbers) : (rowCount ?? 0)
      } finally {
        await client.end()
      }
    },
    copy: async () => placeOf(await makeDatabase({ template: server.database })),
    remove,
  }
}

/** The client gives a bigint as text. */
function withNumbers(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
    ]),
  )
}

describe.skipIf(!hasPostgres)('a history in a database', () => {
  describePruning('PostgreSQL', async () => placeOf(await makeDatabase()))

  it('says how much is free in it for the next runs, and returns nothing to the file system', async () => {
    const database = await makeDatabase()
    const upkeep = upkeepOf(database, new Machines().process(1))
    const history = await openPostgresHistory(database.server, new Machines().process(1))
    for (let index = 1; index <= 5; index += 1) {
      const draft = await history.begin(aStart(at(index * 24)))
      await walkAll(draft)
      const known = (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')
      const body = { text: `${index}`.repeat(1000) }
      await draft.stage(payments, [aVersion('a', body, { replaces: known?.id })])
      await draft.commit(at(index * 24 + 1), () => 0)
    }
    await history.close()
    const before = await upkeep.size()
    expect(before.freeBytes).toBeUndefined()
    const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
    const { freed } = await upkeep.prune(order)
    expect(freed.bytes).toBe(0)
    expect(freed.leftBytes).toBeGreaterThan(500)
    expect(freed.leftBytes).toBeLessThan(before.bytes)
    await upkeep.close()
    await database.remove()
  })

  it('makes no history where there is none', async () => {
    const database = await makeDatabase({ empty: true })
    const upkeep = upkeepOf(database, new Machines().process(1))
    const keep = { ...keepNothing, last: 1 }
    const order = { keep, options: {}, toolVersion: '0.1.0' }
    const asked = [
      () => upkeep.planPruning(keep),
      () => upkeep.prune(order),
      () => upkeep.pruneWhenDue(order),
      () => upkeep.chainOf(1),
    ]
    for (const ask of asked) {
      await expect(ask()).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(/^there is no history at /),
      })
    }
    expect(await upkeep.size()).toEqual({ bytes: 0, freeBytes: undefined })
    await upkeep.close()
    await database.remove()
  })
})
