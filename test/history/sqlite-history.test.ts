import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { spaceOfFile } from '../../src/history/sqlite/space-of-file.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { temporaryDatabasePaths } from './database-fixture.ts'
import { describeHistory } from './history-contract.ts'
import { replaceLargeVersions } from './large-versions.ts'
import { Machines } from './processes.ts'
import { makeSqlitePlace } from './sqlite-place.ts'

describeHistory('SQLite', makeSqlitePlace)

describe('the disk space of a file', () => {
  const nextPath = temporaryDatabasePaths()
  const upkeep = (of: string) => sqliteUpkeep(of, new Machines().process(7))

  it('is freed by a pruning', async () => {
    const file = nextPath()
    const history = openSqliteHistory(file, new Machines().process(1))
    await replaceLargeVersions(history, { runs: 30, characters: 50_000 })
    await history.close()
    const before = statSync(file).size
    const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
    const { freed } = await upkeep(file).prune(order)
    expect(statSync(file).size).toBe(before - freed.bytes)
    expect(freed.bytes).toBeGreaterThan(before / 2)
    expect(freed.freeBytes).toBe(0)
  })

  it('includes the write-ahead log', async () => {
    const file = nextPath()
    const history = openSqliteHistory(file, new Machines().process(1))
    expect(spaceOfFile(file).bytes).toBeGreaterThan(statSync(file).size)
    await history.close()
  })

  it('is that of its directory before there is a file, and unknown without one', async () => {
    const file = nextPath()
    expect(spaceOfFile(file)).toEqual({ bytes: 0, freeBytes: expect.any(Number) })
    expect(spaceOfFile(`${file}/nowhere/h.db`)).toEqual({ bytes: 0, freeBytes: undefined })
  })
})
