import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { findLastRun } from '../../src/history/sql/runs.ts'
import { dayMs } from '../../src/model/time.ts'
import { readLastChanges } from '../../src/questions/read-last-changes.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type HistoryFixture, openHistoryFixture } from './history-fixture.ts'

const policy = policyOf(`
extends: []
rules: { endpoint/url-not-https: high, endpoint/timeout-high: { severity: low, max_seconds: 1 }, waiver/unused: {} }
waivers:
  - { rule: endpoint/url-not-https, match: { project: "*" }, owner: payments, reason: moves, expires: 2026-12-20, ticket: OPS-7 }
  - { rule: endpoint/timeout-high, match: { project: acme/payments }, owner: bank, reason: slow, expires: 2026-11-28 }
  - { rule: endpoint/timeout-high, match: { name: no-such }, owner: bank, reason: unused, expires: 2026-12-01 }
`)

let story: HistoryFixture
let names: readonly string[]
let violationsOf: (rule: string, ...projects: string[]) => Promise<number>

/** Two projects, whose endpoints are all slow, and one insecure in each. */
beforeAll(async () => {
  story = await openHistoryFixture({
    fleet: { clean: true, projects: 2, incomingEvery: 0, endpointsPerProject: 3, subscriptionsPerProject: 3 },
  })
  const { fleet } = story.fixture
  for (const { uid } of fleet.projects()) {
    const endpoint = at(fleet.open(uid).endpoints, 0).uid
    changeEndpoint(fleet, { project: uid, uid: endpoint }, (row) => ({ ...row, url: 'http://a.example/in' }))
  }
  names = [...(await story.fixture.audit({ policy })).projects.map(({ project }) => project)].sort()
  violationsOf = async (rule, ...projects) =>
    (await story.rows(['violations', '--waived', '--rule', rule, ...projects.flatMap((name) => ['--project', name])]))
      .counts.total
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => story[Symbol.asyncDispose]())

const start = Date.parse('2026-11-21T03:00:00Z')
const ofWaiver = { kind: 'waiver', at: null, run: null, match: null }
const secure = {
  ...{ ...ofWaiver, rule: 'endpoint/url-not-https', owner: 'payments', by: 'payments', reason: 'moves' },
  ...{ ticket: 'OPS-7', configured_at: { file: 'policy.yaml', line: 5 } },
}
const slow = {
  ...{ ...ofWaiver, rule: 'endpoint/timeout-high', owner: 'bank', by: 'bank', reason: 'slow' },
  ...{ ticket: null, configured_at: { file: 'policy.yaml', line: 6 } },
}

it('lists what each waiver accepts of a rule, the first that ends first, and none that accepts nothing', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(start)
  const { schema, run, rows } = await story.rows('waivers list')
  expect({ schema, run: run.number }).toEqual({ schema: 'hookdrift.waivers/2', run: 1 })
  expect(rows).toEqual([
    {
      ...slow,
      expires: '2026-11-29T00:00:00.000Z',
      until: '2026-11-29T00:00:00.000Z',
      state: 'ends_soon',
      violations: await violationsOf(slow.rule, 'acme/payments'),
      projects: ['acme/payments'],
    },
    {
      ...secure,
      expires: '2026-12-21T00:00:00.000Z',
      until: '2026-12-21T00:00:00.000Z',
      state: 'in_force',
      violations: await violationsOf(secure.rule),
      projects: names,
    },
  ])
  expect(rows[1].violations).toBe(2)
})

it('says in the feed of a violation that a waiver accepts it', async () => {
  const entries = await story.fixture.harness.withHistory(async (history) => {
    const run = await findLastRun(history)
    return run === undefined ? [] : readLastChanges(history, run, 50)
  })
  const heads = new Set(entries.map(({ title }) => title.replace(/ at .*/, '')))
  expect(heads).toContain('high, waived: endpoint/url-not-https')
  expect(heads).not.toContain('high: endpoint/url-not-https')
})

it('lists those of some projects, with what they accept there', async () => {
  const [other = ''] = names.filter((name) => name !== 'acme/payments')
  const { rows } = await story.rows(`waivers list --project ${other}`)
  expect(rows).toMatchObject([{ ...secure, violations: 1, projects: [other] }])
  const { code, stderr } = await story.ask('waivers list --project no/such')
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--project no/such matches none of') })
})

it('says of the last run what ended since, and of a past run what had ended by then', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(start + 10 * dayMs)
  const states = async (...args: string[]) =>
    (await story.rows(['waivers', 'list', ...args])).rows.map(({ state }) => state)
  expect(await states()).toEqual(['ended', 'in_force'])
  story.fixture.harness.advance(6 * dayMs)
  await story.fixture.audit({ policy })
  vi.spyOn(Date, 'now').mockReturnValue(start + 40 * dayMs)
  expect(await states()).toEqual(['ended', 'ended'])
  expect(await states('--run', '1')).toEqual(['ends_soon', 'in_force'])
  // As the page of the run has it.
  expect(await states('--run', '2')).toEqual(['ends_soon', 'in_force'])
})

it('says nothing of scans where only violations of the policy are asked for', async () => {
  const { stdout } = await story.ask('violations --project hookdrift/policy')
  expect(stdout).toContain('waiver/unused')
  expect(stdout).not.toMatch(/scan/i)
})

it('says in the text until when, by whom, why and where, and which waivers the history does not know', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(start + 10 * dayMs)
  const answer = await story.ask('waivers list', { columns: 80 })
  const stdout = stripVTControlCharacters(answer.stdout)
  expect(stdout).toContain('endpoint/timeout-high: ended\n')
  expect(stdout).toContain(' in acme/payments: open again with the next run\n')
  expect(stdout).toContain('  Waived by bank until the end of 2026-11-28: slow (policy.yaml:6)\n')
  expect(stdout).toContain('  Waived by payments until the end of 2026-12-20: moves (policy.yaml:5, OPS-7)\n')
  expect(stdout.replaceAll('\n', ' ')).toContain('reported as violations (waiver/unused, waiver/expired).')
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  const { rows } = await story.rows('violations --rule waiver/unused')
  expect(rows).toHaveLength(1)
})
