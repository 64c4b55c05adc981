import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sendToDirectory } from '../../src/notify/channels/directory.ts'
import { openDirectory } from '../cli/start-process.ts'
import { aReport } from '../report/sample-reports.ts'
import { aMessage } from './samples.ts'

const never = new AbortController().signal
const reportOf = async (number: number) => {
  const report = aReport()
  return { ...report, run: { ...report.run, number } }
}
const ofRun = (number: number) => {
  const { run } = aMessage()
  return aMessage('msg', { run: run && { ...run, number } })
}

describe('a directory channel', () => {
  it('gets the reports of each run in all formats, for its owner only, and latest links to the newest', async () => {
    using directory = openDirectory()
    const path = directory.file('reports')
    const send = sendToDirectory({ path, formats: ['json', 'csv', 'text'], keep: 90 }, reportOf)
    expect(await send(ofRun(1), never)).toEqual({ ok: true })
    expect(await send(ofRun(2), never)).toEqual({ ok: true })
    expect(readdirSync(path).sort()).toEqual(['latest', 'run-000001', 'run-000002'])
    expect(readlinkSync(join(path, 'latest'))).toBe('run-000002')
    const own = readdirSync(join(path, 'latest')).sort()
    expect(own).toEqual(expect.arrayContaining(['report.coverage.csv', 'report.csv', 'report.json', 'report.txt']))
    expect(JSON.parse(readFileSync(join(path, 'latest/report.json'), 'utf8')).run.number).toBe(2)
    expect(statSync(join(path, 'latest/report.json')).mode & 0o777).toBe(0o600)
  })

  it('keeps the last runs by number, and touches no other file', async () => {
    using directory = openDirectory()
    const path = directory.path
    mkdirSync(join(path, 'run-mine'))
    const send = sendToDirectory({ path, formats: ['json'], keep: 2 }, reportOf)
    for (const run of [999_998, 999_999, 1_000_000]) await send(ofRun(run), never)
    expect(readdirSync(path).sort()).toEqual(['latest', 'run-1000000', 'run-999999', 'run-mine'])
    expect(readlinkSync(join(path, 'latest'))).toBe('run-1000000')
  })

  it('keeps the reports of a history that an older copy took the place of only as long as there is room', async () => {
    using directory = openDirectory()
    const path = directory.path
    const send = sendToDirectory({ path, formats: ['json'], keep: 4 }, reportOf)
    for (const run of [1, 2, 8, 9]) await send(ofRun(run), never)
    const kept: string[][] = []
    for (const run of [3, 4]) {
      await send(ofRun(run), never)
      expect(readlinkSync(join(path, 'latest'))).toBe(`run-00000${run}`)
      kept.push(readdirSync(path).filter((name) => name !== 'latest'))
    }
    expect(kept).toEqual([
      ['run-000001', 'run-000002', 'run-000003', 'run-000009'],
      ['run-000001', 'run-000002', 'run-000003', 'run-000004'],
    ])
  })

  it('takes a run again, also after a crash midway', async () => {
    using directory = openDirectory()
    const path = directory.path
    const send = sendToDirectory({ path, formats: ['json'], keep: 9 }, reportOf)
    await send(ofRun(1), never)
    mkdirSync(join(path, '.run-000001.tmp/x'), { recursive: true })
    writeFileSync(join(path, '.latest.tmp'), '')
    expect(await send(ofRun(1), never)).toEqual({ ok: true })
    expect(readdirSync(path).sort()).toEqual(['latest', 'run-000001'])
  })

  it('that cannot be written, or a pruned run, is a failure and no crash', async () => {
    using directory = openDirectory()
    const file = directory.write('file', '')
    const send = sendToDirectory({ path: join(file, 'x'), formats: ['json'], keep: 9 }, reportOf)
    expect(await send(ofRun(1), never)).toEqual({ ok: false, error: 'cannot write there: ENOTDIR' })
    expect(await send(aMessage('test', { run: null }), never)).toEqual({
      ok: false,
      error: 'cannot write there: ENOTDIR',
    })
    const gone = sendToDirectory({ path: directory.path, formats: ['json'], keep: 9 }, async () => undefined)
    expect(await gone(ofRun(1), never)).toEqual({ ok: false, error: 'run 1 is no longer in the history' })
  })
})
