import { describe, expect, it } from 'vitest'
import { changeData, changeEndpoint, deleteEndpoint, replaceSecret } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import type { History } from '../../src/history/history.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { readLatestScans } from '../../src/history/sql/scans.ts'
import { readViolationsAt } from '../../src/history/sql/violations.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { hourMs } from '../../src/model/time.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { composeAcceptances } from '../../src/questions/choose-acceptable.ts'
import { policyOf } from './audit-harness.ts'
import { at, type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const policyText = (options = '{}') => `
extends: []
rules:
  drift/authentication-lost: {}
  drift/rate-limit-lost: {}
  drift/secret-changed: ${options}
  drift/url-host-changed: ${options}
`
const policy = policyOf(policyText())

async function openFixture(): Promise<FleetFixture> {
  const fixture = await openFleetFixture({ fleet: { endpointsPerProject: 4 }, harness: { limits: { retries: 0 } } })
  changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
  set(fixture, { url: 'https://one.example.com/in', rate_limit: 50, rate_limit_duration: 60 })
  await fixture.audit({ policy })
  return fixture
}

const first = (fixture: FleetFixture) => ({
  project: fixture.uidOf('payments'),
  uid: at(fixture.dataOf('payments').endpoints, 0).uid,
})

function set(fixture: FleetFixture, change: Partial<EndpointRow>): void {
  changeEndpoint(fixture.fleet, first(fixture), (row) => ({ ...row, ...change }))
}

/** `state rule [resolution]` of the next run. */
async function next(fixture: FleetFixture, by: Policy = policy, options = {}): Promise<string[]> {
  fixture.harness.advance(hourMs)
  const { violations } = await fixture.audit({ policy: by, ...options })
  return violations.map(({ state, rule, resolution }) => [state, rule, resolution ?? []].flat().join(' ')).sort()
}

async function withHistory<Result>(
  fixture: FleetFixture,
  work: (history: History) => Promise<Result>,
): Promise<Result> {
  const history = openSqliteHistory(fixture.harness.file, fixture.harness.owner)
  try {
    return await work(history)
  } finally {
    await history.close()
  }
}

async function accept(fixture: FleetFixture): Promise<void> {
  await withHistory(fixture, async (history) => {
    const run = (await listRuns(history)).at(-1)?.number ?? 0
    const project = at(await readLatestScans(history, run), 0).project
    const [violation] = await readViolationsAt(history, run)
    if (violation === undefined) throw new Error('nothing is open')
    const signed = {
      reason: 'moves with ticket 4711',
      by: 'alice',
      at: new Date(fixture.harness.clock.now()).toISOString(),
    }
    await history.accept(await composeAcceptances(history, run, [{ ...violation, scanned: project }], signed))
  })
}

async function revoke(fixture: FleetFixture): Promise<void> {
  fixture.harness.advance(1000)
  const signed = { by: 'bob', at: new Date(fixture.harness.clock.now()).toISOString() }
  await withHistory(fixture, (history) => history.revokeAcceptances([1], signed))
}

const changed = { url: 'https://two.example.com/in' }
const back = { url: 'https://one.example.com/in' }

describe('a violation of a drift rule', () => {
  it('stays open while the value is the changed one, with the message of its opening', async () => {
    await using fixture = await openFixture()
    set(fixture, changed)
    expect(await next(fixture)).toEqual(['opened drift/url-host-changed'])
    for (let run = 0; run < 10; run += 1) expect(await next(fixture)).toEqual(['continuing drift/url-host-changed'])
    const { violations } = await fixture.audit({ policy })
    expect(violations.map(({ message }) => message)).toEqual([
      'delivered to one.example.com, and to two.example.com now',
    ])
  })

  it('is fixed when the value is back, and the restoration is not a violation', async () => {
    await using fixture = await openFixture()
    set(fixture, changed)
    await next(fixture)
    set(fixture, back)
    expect(await next(fixture)).toEqual(['resolved drift/url-host-changed fixed'])
    expect(await next(fixture)).toEqual([])
  })

  it('is fixed when the value is at least as strong as before', async () => {
    await using fixture = await openFixture()
    set(fixture, { rate_limit: 0, rate_limit_duration: 0 })
    expect(await next(fixture)).toEqual(['opened drift/rate-limit-lost'])
    set(fixture, { rate_limit: 10, rate_limit_duration: 60 })
    expect(await next(fixture)).toEqual(['resolved drift/rate-limit-lost fixed'])
  })

  it('compares with the value before the first of several changes', async () => {
    await using fixture = await openFixture()
    set(fixture, changed)
    await next(fixture)
    set(fixture, { url: 'https://three.example.com/in' })
    const { violations } = await fixture.audit({ policy })
    expect(violations.map(({ state, message }) => [state, message])).toEqual([
      ['continuing', 'delivered to one.example.com, and to three.example.com now'],
    ])
    set(fixture, back)
    expect(await next(fixture)).toEqual(['resolved drift/url-host-changed fixed'])
  })

  it('is unknown while its resource is not scanned, and goes on afterwards', async () => {
    await using fixture = await openFixture()
    set(fixture, changed)
    await next(fixture)
    fixture.service.failNext({ path: /\/endpoints/, page: 1, how: 'reset' })
    expect(await next(fixture)).toEqual(['unknown drift/url-host-changed'])
    expect(await next(fixture)).toEqual(['continuing drift/url-host-changed'])
  })

  it('is removed with its resource', async () => {
    await using fixture = await openFixture()
    set(fixture, changed)
    await next(fixture)
    deleteEndpoint(fixture.fleet, first(fixture))
    expect(await next(fixture)).toEqual(['resolved drift/url-host-changed removed'])
  })

  it('ends with its rule', async () => {
    await using fixture = await openFixture()
    set(fixture, changed)
    await next(fixture)
    const without = policyOf('extends: []\nrules: { drift/rate-limit-lost: {} }')
    expect(await next(fixture, without)).toEqual(['resolved drift/url-host-changed policy'])
  })

  it('is unknown when the secrets of its origin were sealed with another key', async () => {
    await using fixture = await openFixture()
    replaceSecret(fixture.fleet, first(fixture))
    const opened = await next(fixture)
    expect(new Set(opened)).toEqual(new Set(['opened drift/secret-changed']))
    const states = (await next(fixture, policy, { installationKey: 2 })).map((line) => line.split(' ')[0])
    expect(states).not.toContain('resolved')
  })

  it('expires after open_for, and only then', async () => {
    await using fixture = await openFixture()
    const soon = policyOf(policyText('{ open_for: 3h }'))
    set(fixture, changed)
    expect(await next(fixture, soon)).toEqual(['opened drift/url-host-changed'])
    const seen = new Set<string>()
    for (let run = 0; run < 6; run += 1) for (const line of await next(fixture, soon)) seen.add(line)
    expect([...seen]).toEqual(['continuing drift/url-host-changed', 'resolved drift/url-host-changed expired'])
    expect(await next(fixture, soon)).toEqual([])
  })
})

describe('an acceptance', () => {
  it('ends a violation with the next run, and keeps it closed', async () => {
    await using fixture = await openFixture()
    set(fixture, changed)
    await next(fixture)
    await accept(fixture)
    expect(await next(fixture)).toEqual(['resolved drift/url-host-changed accepted'])
    expect(await next(fixture)).toEqual([])
  })

  it('that is revoked opens the violation again while the value is the changed one', async () => {
    await using fixture = await openFixture()
    set(fixture, changed)
    await next(fixture)
    await accept(fixture)
    await next(fixture)
    await revoke(fixture)
    expect(await next(fixture)).toEqual(['opened drift/url-host-changed'])
    set(fixture, back)
    expect(await next(fixture)).toEqual(['resolved drift/url-host-changed fixed'])
  })

  it('covers a violation of any rule until it is revoked', async () => {
    await using fixture = await openFixture()
    const plain = policyOf('extends: []\nrules: { endpoint/url-not-https: {} }')
    set(fixture, { url: 'http://one.example.com/in' })
    expect(await next(fixture, plain)).toEqual(['opened endpoint/url-not-https'])
    await accept(fixture)
    expect(await next(fixture, plain)).toEqual(['resolved endpoint/url-not-https accepted'])
    expect(await next(fixture, plain)).toEqual([])
    await revoke(fixture)
    expect(await next(fixture, plain)).toEqual(['opened endpoint/url-not-https'])
  })
})

describe('the end of a violation', () => {
  it('is the policy when its text changed and the resource did not', async () => {
    await using fixture = await openFixture()
    const strict = policyOf('extends: []\nrules: { endpoint/timeout-high: { max_seconds: 5 } }')
    const lax = policyOf('extends: []\nrules: { endpoint/timeout-high: { max_seconds: 90 } }')
    set(fixture, { http_timeout: 60 })
    expect(await next(fixture, strict)).toContain('opened endpoint/timeout-high')
    const ended = await next(fixture, lax)
    expect(new Set(ended)).toEqual(new Set(['resolved endpoint/timeout-high policy']))
  })
})
