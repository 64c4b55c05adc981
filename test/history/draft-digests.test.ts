import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { RunningDigest } from '../../src/history/chain/digest-rows.ts'
import { versionMembers } from '../../src/history/chain/parts.ts'
import { SqliteDatabase } from '../../src/history/sqlite/sqlite-database.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { digestsOf } from './digests-contract.ts'
import { Machines } from './processes.ts'
import { aStart, aVersion, commit, payments, walkAll } from './samples.ts'

it('the digests of a run are those of its rows when a transaction failed and was tried again', async () => {
  const { file, remove } = temporaryDatabasePath()
  const history = openSqliteHistory(file, new Machines().process(1))
  const other = new Database(file, { timeout: 0 })
  const draft = await history.begin(aStart())
  await walkAll(draft)
  await draft.stage(payments, [aVersion('a')])
  other.exec('CREATE TRIGGER refused BEFORE INSERT ON version BEGIN SELECT 1; END')
  await expect(draft.stage(payments, [aVersion('late')])).rejects.toThrow('nothing was written')
  other.exec('DROP TRIGGER refused')
  await draft.stage(payments, [aVersion('late')])
  await commit(draft)
  const { written, read, versions } = await digestsOf(new SqliteDatabase(other), 1)
  expect(versions).toBe(2)
  expect(written).toEqual(read)
  other.close()
  await history.close()
  remove()
})

it('the digest of rows is not known once it is spoiled', () => {
  const digest = new RunningDigest(versionMembers)
  expect(digest.end()).toEqual({ digest: undefined })
  digest.spoil()
  expect(digest.end()).toBeUndefined()
})
