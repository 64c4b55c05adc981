import { afterEach, describe, expect, it } from 'vitest'
import { composeReport } from '../../src/audit/compose-report.ts'
import { changeEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { NewNote } from '../../src/history/notes.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { command } from '../cli/run-in-process.ts'
import { at, type FleetFixture, openFleetFixture, pagesOfTwo } from './fleet-fixture.ts'
import { anEndpoint, aRow, aSubscription, openLiteral } from './literal-service.ts'

let fixture: FleetFixture
afterEach(() => fixture?.[Symbol.asyncDispose]())

async function open(projects = 1) {
  fixture = await openFleetFixture({
    fleet: { projects, endpointsPerProject: 6, subscriptionsPerProject: 1 },
    ...pagesOfTwo,
  })
}

const note = (text: string, more: Partial<NewNote> = {}) =>
  fixture.harness.withHistory(async (history) => {
    const at = new Date(fixture.harness.clock.now()).toISOString()
    await history.note({ text, happenedAt: at, ref: null, projects: [], signed: { by: 'ada', at }, ...more })
  })
const wait = (minutes: number) => fixture.harness.advance(minutes * 60_000)
const breakPage3 = () =>
  fixture.service.failNext({ path: /\/endpoints/, page: 3, times: Number.POSITIVE_INFINITY, how: 'reset' })
const mend = () => {
  fixture.mend()
}

/** Of each change: what was noted meanwhile, the nearest first, and between which runs it came about. */
function between({ drift, notes }: Report, runs: readonly Report[]) {
  const texts = new Map(notes.map(({ id, text }) => [id, text]))
  const numberOf = (time: string | null, end: 'started_at' | 'finished_at') =>
    runs.find(({ run }) => run[end] === time)?.run.number
  return drift.map((change) => ({
    after: numberOf(change.between.after, 'started_at'),
    before: numberOf(change.between.before, 'finished_at'),
    notes: change.notes.map((id) => texts.get(id)),
  }))
}

describe('the notes of a change', () => {
  it('are those of the time between two scans, the nearest to the second first', async () => {
    await open()
    await note('before everything')
    const first = await fixture.audit()
    expect([first.drift, first.notes]).toEqual([[], []])
    wait(10)
    await note('deploy 4.2')
    wait(10)
    await note('config push')
    await note('of another project', { projects: ['acme/other'] })
    fixture.set({ http_timeout: 45 })
    const second = await fixture.audit()
    wait(10)
    await note('after it')
    expect(between(second, [first, second])).toEqual([{ after: 1, before: 2, notes: ['config push', 'deploy 4.2'] }])
    expect(second.notes.map(({ text, by, projects }) => [text, by, projects])).toEqual([
      ['config push', 'ada', []],
      ['deploy 4.2', 'ada', []],
    ])
    const third = await fixture.audit()
    expect([third.drift, third.notes]).toEqual([[], []])
  })

  it('reach back over scans that did not read the resource, and over those of other projects', async () => {
    await open(2)
    const first = await fixture.audit()
    await note('long before')
    wait(10)
    // This one breaks off before the last page, so that it proves nothing of what is there.
    breakPage3()
    const broken = await fixture.audit()
    mend()
    const skipped = await fixture.audit({ only: ['acme/no-such-project'] })
    wait(10)
    await note('just before')
    fixture.set({ http_timeout: 45 }, 5)
    const last = await fixture.audit()
    expect(broken.drift).toEqual([])
    expect(between(last, [first, broken, skipped, last])).toEqual([
      { after: 1, before: 4, notes: ['just before', 'long before'] },
    ])
  })

  it('end with the first scan that saw the change, also when a later one completes it', async () => {
    await open()
    const first = await fixture.audit()
    await note('the cause of nothing')
    wait(10)
    fixture.set({ http_timeout: 45 })
    breakPage3()
    const broken = await fixture.audit()
    mend()
    wait(10)
    await note('too late')
    const last = await fixture.audit()
    const runs = [first, broken, last]
    const expected = [{ after: 1, before: 2, notes: ['the cause of nothing'] }]
    expect([between(broken, runs), between(last, runs)]).toEqual([expected, expected])
  })

  it('are of a removal from the last complete scan to the one that proved it', async () => {
    await open()
    const first = await fixture.audit()
    deleteEndpoint(fixture.fleet, fixture.endpointAt(5))
    breakPage3()
    const broken = await fixture.audit()
    mend()
    await note('cleaned up')
    const last = await fixture.audit()
    expect(between(last, [first, broken, last])).toMatchObject([{ after: 1, before: 3, notes: ['cleaned up'] }])
  })

  it('are also those that were recorded later, while the record stays as it is', async () => {
    await open()
    const first = await fixture.audit()
    const then = new Date(fixture.harness.clock.now() + 1000).toISOString()
    fixture.set({ http_timeout: 45 })
    const second = await fixture.audit()
    expect(second.notes).toEqual([])
    wait(60)
    await note('deploy 4.2', { happenedAt: then })
    const record = await fixture.harness.withHistory((history) => readRunRecord(history, 2))
    if (record === undefined) throw new Error('there is no run 2')
    const again = composeReport(record)
    expect(between(again, [first, again])).toEqual([{ after: 1, before: 2, notes: ['deploy 4.2'] }])
    expect(again.digests).toEqual(second.digests)
  })
})

it('of a change in a timeline are those about the name that the project had then', async () => {
  const fleet = generateFleet({ projects: 2, incomingEvery: 0 })
  const [first = '', second = ''] = fleet.projects().map(({ uid }) => uid)
  const projects: Record<string, string> = { payments: first, orders: second }
  fixture = await openFleetFixture({ fleet, harness: { projects } })
  await fixture.audit()
  await note('deploy of payments', { projects: ['acme/payments'] })
  await note('deploy of orders', { projects: ['acme/orders'] })
  const { uid } = at(fleet.open(first).endpoints, 0)
  changeEndpoint(fleet, { project: first, uid }, (row) => ({ ...row, http_timeout: 45 }))
  await fixture.audit()
  Object.assign(projects, { payments: second, orders: first })
  await fixture.audit()
  const args = ['timeline', uid, '--history', fixture.harness.file, '--format', 'json']
  const { rows, notes } = JSON.parse((await command(args, { cwd: fixture.harness.directory })).stdout)
  expect(rows.at(-1)).toMatchObject({ run: 2, project: 'acme/orders', notes: [1] })
  expect(notes).toMatchObject([{ text: 'deploy of payments' }])
})

describe('a change of filter rows', () => {
  it('came about after these were last read, which may be long before the last scan', async () => {
    const row = (subscription: string, body: JsonObject) => [aRow(subscription, '*', { body })]
    const shown = (body: JsonObject) => ({
      endpoints: [anEndpoint('e')],
      subscriptions: ['s2', 's1'].map((uid) => aSubscription(uid, 'e')),
      filters: { s1: row('s1', body), s2: row('s2', body) },
    })
    await using service = await openLiteral(shown({ amount: 1 }))
    const audit = () => service.audit({ filtersPerRun: 1 })
    // One in each run: the rows of the other one are not read.
    const runs = [await audit(), await audit()]
    service.show(shown({ amount: 2 }))
    const [third, fourth] = [await audit(), await audit()]
    runs.push(third, fourth)
    expect([between(third, runs), between(fourth, runs)]).toEqual([
      [{ after: 1, before: 3, notes: [] }],
      [{ after: 2, before: 4, notes: [] }],
    ])
  })
})
