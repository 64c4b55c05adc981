import { describe, expect, it } from 'vitest'
import { keepNothing } from '../../../src/history/retention.ts'
import { describeHistory } from '../history-contract.ts'
import { replaceLargeVersions } from '../large-versions.ts'
import { Machines } from '../processes.ts'
import { hasPostgres } from './databases.ts'
import { makePostgresPlace } from './postgres-place.ts'

describe.skipIf(!hasPostgres)('a history in a database', () => {
  describeHistory('PostgreSQL', makePostgresPlace)

  it('says how much a pruning left free in it, and returns nothing to the file system', async () => {
    const place = makePostgresPlace()
    const history = await place.open(new Machines().process(1))
    await replaceLargeVersions(history, { runs: 5, characters: 1000 })
    const upkeep = await place.upkeep(new Machines().process(1))
    const before = await place.size()
    expect(before.freeBytes).toBeUndefined()
    const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
    const { freed } = await upkeep.prune(order)
    expect(freed.bytes).toBe(0)
    expect(freed.freeBytes).toBeGreaterThan(500)
    expect(freed.freeBytes).toBeLessThan(before.bytes)
    expect(await place.dispose()).toEqual([])
  })
})
