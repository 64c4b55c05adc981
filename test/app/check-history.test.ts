import fs, { copyFileSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, onTestFinished } from 'vitest'
import { keepHistoryOpen, openHistoryCheck } from '../../src/app/keep-history-open.ts'
import { openExistingHistory, openHistory } from '../../src/app/open-history.ts'
import { readLocation } from '../../src/history/location.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { openDirectory } from '../cli/start-process.ts'

it('keeps one connection, reopens a file that was replaced, and reports a file that is gone as unusable', async () => {
  using directory = openDirectory()
  const file = directory.file('hookdrift.db')
  const location = readLocation(file, '/')
  await (await openHistory(location, {})).close()
  let opened = 0
  const check = openHistoryCheck(async (at) => {
    const history = await openExistingHistory(at, {})
    opened += 1
    return history
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

it('reads a history of a read-only directory again when a run elsewhere has written to it', async () => {
  using directory = openDirectory()
  const location = readLocation(directory.file('hookdrift.db'), '/')
  await (await openHistory(location, {})).close()
  const { accessSync } = fs
  onTestFinished(() => {
    fs.accessSync = accessSync
    syncBuiltinESMExports()
  })
  fs.accessSync = () => {
    throw new Error('EROFS')
  }
  syncBuiltinESMExports()
  const opened = keepHistoryOpen((at) => openExistingHistory(at, {}))
  const first = await opened.at(location)
  expect(await opened.at(location)).toBe(first)
  utimesSync(directory.file('hookdrift.db'), 1, 1)
  expect(await opened.at(location)).not.toBe(first)
  await opened.close()
})

it('lets who reads a history while it is replaced go on with it, and closes it in the end', async () => {
  using directory = openDirectory()
  const file = directory.file('hookdrift.db')
  const location = readLocation(file, '/')
  await (await openHistory(location, {})).close()
  const opened = keepHistoryOpen((at) => openExistingHistory(at, {}))
  const former = await opened.at(location)
  copyFileSync(file, `${file}.restored`)
  renameSync(`${file}.restored`, file)
  expect(await opened.at(location)).not.toBe(former)
  expect(await listRuns(former)).toEqual([])
  await opened.close()
  await expect(listRuns(former)).rejects.toThrow('not open')
})

it('opens a history once for calls that come together', async () => {
  using directory = openDirectory()
  const location = readLocation(directory.file('hookdrift.db'), '/')
  await (await openHistory(location, {})).close()
  let opened = 0
  const check = openHistoryCheck(async (at) => {
    opened += 1
    return openExistingHistory(at, {})
  })
  const answers = await Promise.all([check.troubles(location), check.troubles(location), check.troubles(location)])
  expect([answers, opened]).toEqual([[[], [], []], 1])
  await check.close()
})

it('waits only so long for a history that does not answer', async () => {
  const location = readLocation('/none.db', '/')
  const check = openHistoryCheck(() => new Promise(() => {}), 10)
  expect(await check.troubles(location)).toEqual(['the history cannot be used'])
})
