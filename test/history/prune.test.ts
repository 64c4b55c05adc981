import { copyFileSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { verifyHistory } from '../../src/history/sqlite/verify/verify-history.ts'
import { openSecrets } from '../../src/inventory/open-secrets.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { knownIn } from './known-in.ts'
import { Machines } from './processes.ts'
import { describePruning, type PrunePlace } from './prune-contract.ts'
import { aStart, at, aVersion, payments, walkAll } from './samples.ts'

const makePlace = async () => placeOf(temporaryDatabasePath())

function placeOf({ file, remove }: ReturnType<typeof temporaryDatabasePath>): PrunePlace {
  const withDatabase = async <Result>(work: (db: Database.Database) => Result | Promise<Result>) => {
    const db = new Database(file)
    try {
      return await work(db)
    } finally {
      db.close()
    }
  }
  return {
    open: async (process) => openSqliteHistory(file, process),
    upkeep: (process) => sqliteUpkeep(file, process),
    verify: () => withDatabase((db) => verifyHistory(db, { depth: 'deep', exitCodeOf: () => 0, openSecrets })),
    execute: async (sql) =>
      withDatabase((db) => {
        const statement = db.prepare(sql)
        return statement.reader ? statement.all() : statement.run().changes
      }),
    async copy() {
      const other = temporaryDatabasePath()
      copyFileSync(file, other.file)
      return placeOf(other)
    },
    remove: async () => remove(),
  }
}

describePruning('SQLite', makePlace)

describe('pruning a file', () => {
  let file: string
  let remove: () => void
  beforeEach(() => {
    ;({ file, remove } = temporaryDatabasePath())
  })
  afterEach(() => remove())

  it('frees disk space', async () => {
    const history = openSqliteHistory(file, new Machines().process(1))
    for (let index = 1; index <= 30; index += 1) {
      const draft = await history.begin(aStart(at(index * 24)))
      await walkAll(draft)
      const known = (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')
      const body = { text: `${index}`.repeat(50_000) }
      await draft.stage(payments, [aVersion('a', body, { replaces: known?.id })])
      await draft.commit(at(index * 24 + 1), () => 0)
    }
    await history.close()
    const before = statSync(file).size
    const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
    const { freed } = await sqliteUpkeep(file, new Machines().process(1)).prune(order)
    expect(statSync(file).size).toBe(before - freed.bytes)
    expect(freed.bytes).toBeGreaterThan(before / 2)
    expect(freed.leftBytes).toBe(0)
  })
})
