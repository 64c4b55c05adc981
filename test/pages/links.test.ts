import { afterAll, assert, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import { keepNothing } from '../../src/history/retention.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { dayMs } from '../../src/model/time.ts'
import { addProject, listRules } from '../audit/discovery-fixture.ts'
import { at } from '../audit/fleet-fixture.ts'
import { Machines } from '../history/processes.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openEventfulSite } from './eventful-site.ts'
import { openSiteOver } from './story-site.ts'
import { walkLinks } from './walk-links.ts'

describe('a history with an interrupted run, a failed scan and resources that are gone', () => {
  let site: Awaited<ReturnType<typeof openEventfulSite>>
  beforeAll(async () => {
    site = await openEventfulSite()
  })
  afterAll(() => site[Symbol.asyncDispose]())

  it('has pages all of whose links lead somewhere, as of now and of a past run', async () => {
    const walked = await walkLinks(site, ['/', '/?run=1', '/compare?from=2&to=1&run=1', '/compare?from=1&to=2&run=1'])
    const lost = walked.filter(({ status }) => status !== 200)
    expect(lost.map(({ status, path, from }) => `${status} ${path} from ${from}`)).toEqual([])
    for (const part of ['/api/v1/', '/feed.atom', '/compare', '/resources/added', '/rules/acme/named']) {
      expect([part, walked.some(({ path }) => path.startsWith(part))]).toEqual([part, true])
    }
  }, 120_000)
})

it('a history of which runs were pruned has pages all of whose links lead somewhere', async () => {
  const fixtureOfHistory = await openHistoryFixture({
    fleet: { projects: 2, endpointsPerProject: 4, subscriptionsPerProject: 4 },
  })
  const { fixture } = fixtureOfHistory
  const { fleet, harness } = fixture
  const project = at(fleet.projects(), 0).uid
  const [insecure, removed] = [0, 1].map((index) => ({ project, uid: at(fleet.open(project).endpoints, index).uid }))
  assert(insecure && removed, 'two endpoints, please')
  const serves = (scheme: string) => () =>
    changeEndpoint(fleet, insecure, (row) => ({ ...row, url: `${scheme}://a.example/hook` }))
  for (const edit of [() => {}, serves('http'), serves('https'), () => deleteEndpoint(fleet, removed), () => {}]) {
    edit()
    await fixture.audit({ failOn: 'medium' })
    harness.advance(dayMs)
  }
  const upkeep = sqliteUpkeep(harness.file, new Machines().process(7))
  const { plan } = await upkeep.prune({ keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' })
  await upkeep.close()
  const pruned = plan.filter(({ reasons }) => reasons.length === 0).map(({ number }) => `/runs/${number}`)
  expect(pruned.length).toBeGreaterThan(1)
  await using site = await openSiteOver(fixtureOfHistory)
  const walked = await walkLinks(site, ['/'])
  const lost = walked.filter(({ status }) => status !== 200)
  expect(lost.map(({ status, path, from }) => `${status} ${path} from ${from}`)).toEqual([])
  expect(walked.filter(({ path }) => pruned.includes(path))).toEqual([])
  expect(walked.some(({ path }) => path === '/runs/5')).toBe(true)
  expect(walked.some(({ path, text }) => path.startsWith('/resources/') && text.includes('(pruned)'))).toBe(true)
  const timeless = walked.filter(({ text }) => /datetime=""|, <\/option>|Invalid Date|NaN/.test(text))
  expect(timeless.map(({ path }) => path)).toEqual([])
  const { uid } = at(fleet.open(project).endpoints, 2)
  const before = await (await site.get(`/resources/${uid}?from=1&to=5`)).text()
  expect(before).not.toContain('it was not there')
}, 120_000)

it('a history of which incomplete runs were pruned has pages all of whose links lead somewhere', async () => {
  const made = await openHistoryFixture({
    fleet: { projects: 2, endpointsPerProject: 4 },
    harness: { pageSize: 2 },
  })
  const { fixture } = made
  await fixture.audit()
  fixture.service.failNext({
    how: 'bad-json',
    path: new RegExp(`${fixture.uidOf('payments')}/endpoints`),
    page: 2,
    times: 99,
  })
  for (const name of ['as before', 'another', 'another']) {
    for (const index of [0, 1, 2, 3]) if (name === 'another') fixture.set({ description: name }, index)
    await fixture.audit({ only: ['acme/payments'] })
    if (name === 'another') await fixture.audit({ only: ['acme/orders'] })
  }
  const upkeep = sqliteUpkeep(fixture.harness.file, new Machines().process(7))
  const { plan } = await upkeep.prune({ keep: { ...keepNothing, last: 3 }, options: {}, toolVersion: '0.1.0' })
  await upkeep.close()
  expect(plan.flatMap(({ number, reasons }) => (reasons.length === 0 ? [number] : []))).toEqual([3])
  await using site = await openSiteOver(made)
  const walked = await walkLinks(site, ['/', '/?run=4'])
  const lost = walked.filter(({ status }) => status !== 200)
  expect(lost.map(({ status, path, from }) => `${status} ${path} from ${from}`)).toEqual([])
}, 120_000)

it('a history of a list that names a project which no run scans has pages all of whose links lead somewhere', async () => {
  const made = await openHistoryFixture({
    fleet: { projects: 2, endpointsPerProject: 1 },
  })
  const uid = addProject(made.fixture.fleet, 'refunds')
  const list = { named: ['acme/orders', 'acme/payments'] }
  await made.fixture.audit({ list, policy: listRules })
  await using site = await openSiteOver(made)
  const walked = await walkLinks(site, ['/'])
  const lost = walked.filter(({ status }) => status !== 200)
  expect(lost.map(({ status, path, from }) => `${status} ${path} from ${from}`)).toEqual([])
  const [violation] = walked.filter(({ path, text }) => path.startsWith('/violations/') && text.includes('refunds'))
  expect(violation?.text).not.toMatch(new RegExp(`hookdrift (timeline|restore) .*${uid}`))
}, 120_000)
