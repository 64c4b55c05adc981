import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openHistoryCheck } from '../../src/app/check-history.ts'
import { thisProcess } from '../../src/app/system.ts'
import { openExistingHistory, openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { openDirectory } from '../cli/start-process.ts'

it('keeps one connection, reopens a file that was replaced, and reports a file that is gone as unusable', async () => {
  using directory = openDirectory()
  const file = directory.file('hookdrift.db')
  await openSqliteHistory(file, thisProcess).close()
  let opened = 0
  const check = openHistoryCheck((name) => {
    opened += 1
    return openExistingHistory(name, thisProcess)
  })
  for (let time = 0; time < 3; time++) expect(await check.troubles(file)).toEqual([])
  expect(opened).toBe(1)

  copyFileSync(file, `${file}.restored`)
  renameSync(`${file}.restored`, file)
  expect(await check.troubles(file)).toEqual([])
  expect(opened).toBe(2)

  rmSync(file)
  expect(await check.troubles(file)).toEqual(['the history cannot be used'])
  await openSqliteHistory(file, thisProcess).close()
  expect(await check.troubles(file)).toEqual([])
  expect(opened).toBe(3)
  await check.close()
})
