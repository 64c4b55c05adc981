import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openHistoryCheck } from '../../src/app/check-history.ts'
import { openExistingHistory, openHistory } from '../../src/app/open-history.ts'
import { readLocation } from '../../src/history/location.ts'
import { openDirectory } from '../cli/start-process.ts'

it('keeps one connection, reopens a file that was replaced, and reports a file that is gone as unusable', async () => {
  using directory = openDirectory()
  const file = directory.file('hookdrift.db')
  const location = readLocation(file, '/')
  await (await openHistory(location, {})).close()
  let opened = 0
  const check = openHistoryCheck((at) => {
    opened += 1
    return openExistingHistory(at, {})
  })
  for (let time = 0; time < 3; time++) expect(await check.troubles(location)).toEqual([])
  expect(opened).toBe(1)

  copyFileSync(file, `${file}.restored`)
  renameSync(`${file}.restored`, file)
  expect(await check.troubles(location)).toEqual([])
  expect(opened).toBe(2)

  rmSync(file)
  expect(await check.troubles(location)).toEqual(['the history cannot be used'])
  await (await openHistory(location, {})).close()
  expect(await check.troubles(location)).toEqual([])
  expect(opened).toBe(3)
  await check.close()
})
