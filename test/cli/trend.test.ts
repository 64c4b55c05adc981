import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { setEndpointStatus } from '../../src/demo/edits.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { refusal } from './refusal.ts'

const day = 86_400_000
const policy = policyOf('extends: []\nrules: { endpoint/inactive: high }')

/** Run 1 finds two; ten days later one is fixed, four days later a scan breaks off, five days later one is new. */
const history = await openHistoryFixture({ fleet: { projects: 2, endpointsPerProject: 4 } })
const { fixture } = history
const project = fixture.uidOf('payments')
const set = (index: number, status: 'active' | 'inactive') =>
  setEndpointStatus(fixture.fleet, { project, uid: at(fixture.dataOf('payments').endpoints, index).uid }, status)
const auditAfter = (days: number) => {
  fixture.harness.advance(days * day)
  return fixture.audit({ policy })
}
for (const index of [0, 1]) set(index, 'inactive')
await auditAfter(0)
set(0, 'active')
await auditAfter(10)
fixture.service.failNext({ path: /\/endpoints/, how: 'reset', times: Number.POSITIVE_INFINITY })
await auditAfter(4)
fixture.service.faults.length = 0
set(2, 'inactive')
await auditAfter(5)
afterAll(() => history[Symbol.asyncDispose]())

const numbers = (answer: { weeks: Record<string, number>[] }) =>
  answer.weeks.map(({ opened, fixed, open, runs, incomplete }) => [opened, fixed, open, runs, incomplete])

describe('hookdrift trend', () => {
  it('has weeks, and a row for each day, with the oldest and the time to fix', async () => {
    const answer = await history.rows('trend')
    expect(numbers(answer)).toEqual([
      [2, 0, 2, 1, 0],
      [0, 1, 1, 1, 0],
      [1, 0, 2, 2, 1],
    ])
    expect(answer.severities[1]).toMatchObject({ severity: 'high', open: 2, fixed: 1 })
    expect(Math.round(answer.severities[1].mean_time_to_fix_ms / day)).toBe(10)
    expect(answer.mean_time_to_fix_ms).toBe(answer.severities[1].mean_time_to_fix_ms)
    expect(answer.oldest).toBe(answer.severities[1].oldest)
    const days = answer.rows
    expect(days.at(-1)).toMatchObject({ date: answer.run.started_at.slice(0, 10), opened: 1, fixed: 0 })
    expect(days.map(({ open }) => open.high).filter((open, at, all) => open !== all[at - 1])).toEqual([2, 1, 2])
    expect(days.reduce((sum, { opened }) => sum + opened, 0)).toBe(3)
    expect(days).toHaveLength(20)
    expect(answer.period.to).toBe(answer.run.started_at)
  })

  it('is the same about a run when later ones were committed', async () => {
    expect(numbers(await history.rows('trend --run 2'))).toEqual([
      [2, 0, 2, 1, 0],
      [0, 1, 1, 1, 0],
    ])
    expect(numbers(await history.rows('trend --since 2'))).toHaveLength(2)
    expect(numbers(await history.rows('trend --since 6d'))).toEqual([[1, 0, 2, 2, 1]])
    expect(numbers(await history.rows('trend --project acme/orders'))).toEqual([
      [0, 0, 0, 1, 0],
      [0, 0, 0, 1, 0],
      [0, 0, 0, 2, 1],
    ])
  })

  it('is a table with sentences as text, and a header with rows as CSV', async () => {
    const { stdout } = await history.ask('trend')
    expect(stdout).toMatch(/^from +to +opened +fixed +removed +closed +waived +open +runs +incomplete$/m)
    expect(stdout).toMatch(/^high: 2 open, the oldest for 19 d; 1 violation fixed, after 10 d on average\.$/m)
    const csv = (await history.ask('trend --format csv')).stdout.trim().split('\r\n')
    const open = 'open_critical,open_high,open_medium,open_low,open_info'
    expect([csv[0], csv.length]).toEqual([`date,opened,fixed,removed,closed,waived,${open},runs,incomplete`, 21])
  })

  it.each([
    ['--since soon', '"soon" is not a run or a time'],
    ['--since 2099-01-01', '--since 2099-01-01 is not before the run'],
    ['--run 77', 'there is no committed run 77'],
    ['--project acme/none', '--project acme/none matches none of'],
  ])('refuses %j with exit code 2', async (line, says) => {
    expect(await history.ask(`trend ${line}`)).toEqual(refusal(says))
  })
})

describe('the trend in an HTML report', () => {
  it('is a line with a text alternative, the same bytes after later runs', async () => {
    const { stdout } = await history.ask('report --run 2 --format html')
    expect(stdout).toContain('>2 at first, 1 at last (1 high), 2 at most</desc>')
    expect(stdout).toContain('in the last 7 days: opened 0, fixed 1, removed 0, ended otherwise 0')
    expect(stdout).toContain('mean time to fix: 10 d (10 d of high)')
    const { directory } = history.fixture.harness
    const file = join(directory, 'run.html')
    await history.ask(`report --run 2 --report html=${file}`)
    expect(readFileSync(file, 'utf8')).toBe(stdout)
    await history.fixture.audit({ policy })
    expect((await history.ask('report --run 2 --format html')).stdout).toBe(stdout)
  })

  it('is not there in a first run, which has nothing to compare with', async () => {
    expect((await history.ask('report --run 1 --format html')).stdout).not.toContain('<polyline')
  })
})

it('counts the runs that scanned a chosen project, and what was incomplete of it', async () => {
  await using story = await openHistoryFixture({ fleet: { projects: 2, endpointsPerProject: 4 } })
  await story.fixture.audit({ policy })
  story.fixture.harness.advance(day)
  const path = new RegExp(`/${story.fixture.uidOf('orders')}/endpoints`)
  story.fixture.service.failNext({ path, how: 'reset', times: Number.POSITIVE_INFINITY })
  await story.fixture.audit({ policy })
  story.fixture.harness.advance(day)
  await story.fixture.audit({ policy, only: ['acme/orders'] })
  const runsOf = async (...args: string[]) => numbers(await story.rows(['trend', ...args])).map((week) => week.slice(3))
  expect(await runsOf()).toEqual([[3, 2]])
  expect(await runsOf('--project', 'orders')).toEqual([[3, 2]])
  expect(await runsOf('--project', 'payments')).toEqual([[2, 0]])
})
