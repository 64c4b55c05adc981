import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { Machines } from './processes.ts'
import { aStart, at, commit, payments, walkAll } from './samples.ts'

let file: string
let remove: () => void
beforeEach(() => {
  const path = temporaryDatabasePath()
  file = path.file
  remove = path.remove
})
afterEach(() => remove())

const upkeep = (of = file) => sqliteUpkeep(of, new Machines().process(7))
const keep = { ...keepNothing, last: 1 }

async function aRun(hour = 1) {
  const history = openSqliteHistory(file, new Machines().process(1))
  const draft = await history.begin(aStart(at(hour)))
  await walkAll(draft, payments)
  const record = await commit(draft)
  await history.close()
  return record
}

describe('the upkeep of a history', () => {
  it('makes no history where there is none', async () => {
    const order = { keep, options: {}, toolVersion: '0.1.0' }
    for (const asked of [upkeep().chainOf(1), upkeep().planPruning(keep), upkeep().prune(order)]) {
      await expect(asked).rejects.toMatchObject({ exitCode: 4, message: `there is no history at ${file}` })
    }
    expect(await upkeep().size()).toMatchObject({ bytes: 0, freeBytes: expect.any(Number) })
    expect(await upkeep(`${file}/nowhere/h.db`).size()).toEqual({ bytes: 0, freeBytes: undefined })
  })

  it('gives the chain of a run, and none of a run that is not there', async () => {
    const { chain } = await aRun()
    expect(await upkeep().chainOf(1)).toBe(chain)
    expect(await upkeep().chainOf(2)).toBeUndefined()
  })

  it('counts the write-ahead log', async () => {
    await aRun()
    const history = openSqliteHistory(file, new Machines().process(1))
    const { bytes } = await upkeep().size()
    expect(bytes).toBeGreaterThan(0)
    await history.close()
  })
})
