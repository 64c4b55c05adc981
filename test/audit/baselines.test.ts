import { describe, expect, it } from 'vitest'
import { type ExpectedState, stateOf } from '../../src/audit/expected-state.ts'
import { runAudit } from '../../src/audit/run-audit.ts'
import {
  changeData,
  changeEndpoint,
  createEndpoint,
  createSubscription,
  deleteEndpoint,
  replaceSecret,
} from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import type { History } from '../../src/history/history.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { readCompleteScans, readLatestScans } from '../../src/history/sql/scans.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import {
  at,
  type FleetFixture,
  type FleetFixtureOptions,
  openFleetFixture,
  pagesOfTwo,
  violationLines,
} from './fleet-fixture.ts'
import { faultsIn } from './verify-history-file.ts'

const driftRules = `
extends: []
rules:
  drift/rate-limit-lost: {}
  drift/secret-changed: {}
  drift/unexpected: {}
  drift/url-host-changed: {}
`
const driftPolicy = policyOf(driftRules)

async function openFixture(options: FleetFixtureOptions = {}) {
  const fixture = await openFleetFixture({ fleet: { endpointsPerProject: 4 }, ...options })
  changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
  return fixture
}

function place(fixture: FleetFixture, index = 0) {
  return { project: fixture.uidOf('payments'), uid: at(fixture.dataOf('payments').endpoints, index).uid }
}

function setRow(fixture: FleetFixture, change: Partial<EndpointRow>, index = 0): void {
  changeEndpoint(fixture.fleet, place(fixture, index), (row) => ({ ...row, ...change }))
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

/** A person approves the last run. */
function approve(fixture: FleetFixture, name = 'acme/payments'): Promise<void> {
  return withHistory(fixture, async (history) => {
    const run = (await listRuns(history)).at(-1)?.number ?? 0
    const scan = (await readLatestScans(history, run)).find(({ project }) => project.name === name)
    if (scan === undefined) throw new Error('nothing was scanned')
    const { project } = scan
    const signed = { by: 'ops', at: '2026-11-21T04:00:00.000Z', note: '' }
    await history.approve([
      { project, scopes: await readCompleteScans(history, project, run), ...signed, state: { run } },
    ])
  })
}

const audit = (fixture: FleetFixture) => fixture.audit({ policy: driftPolicy })
const lines = async (fixture: FleetFixture, policy = driftPolicy) =>
  violationLines(await fixture.audit({ policy })).map((line) => line.replace(/ \w+$/, ''))

/** What `drift/url-host-changed` reports, and what only `drift/unexpected` does. */
const moved = { url: 'https://elsewhere.example.com/in', http_timeout: 44 }

describe('drift rules with an approved baseline', () => {
  it('report a difference until it is reverted or a new baseline is approved', async () => {
    await using fixture = await openFixture()
    const { url, http_timeout } = at(fixture.dataOf('payments').endpoints, 0)
    await audit(fixture)
    await approve(fixture)
    setRow(fixture, moved)
    expect(await lines(fixture)).toEqual(['opened drift/unexpected', 'opened drift/url-host-changed'])
    expect(await lines(fixture)).toEqual(['continuing drift/unexpected', 'continuing drift/url-host-changed'])
    setRow(fixture, { url, http_timeout })
    expect(await lines(fixture)).toEqual(['resolved drift/unexpected', 'resolved drift/url-host-changed'])
    setRow(fixture, moved)
    await audit(fixture)
    await approve(fixture)
    expect(await lines(fixture)).toEqual(['resolved drift/unexpected', 'resolved drift/url-host-changed'])
  })

  it('report the rest of what differs as one violation, without what another rule of the resource reports', async () => {
    await using fixture = await openFixture()
    setRow(fixture, { rate_limit: 100, rate_limit_duration: 60 })
    const messages = async (policy = driftPolicy) =>
      (await fixture.audit({ policy })).violations
        .map(({ rule, state, resolution, path, message, ended_by: by }) =>
          [resolution ?? state, rule, path, resolution === 'policy' ? by?.reason : message].join(' '),
        )
        .sort()
    await messages()
    await approve(fixture)
    setRow(fixture, { rate_limit: 50, http_timeout: 44 })
    const first = '2 fields differ from the approved baseline: /http_timeout is 44 (approved: 15), /rate_limit is 50'
    expect(await messages()).toEqual([`opened drift/unexpected  ${first} (approved: 100)`])
    // Of a wiped limit, both fields are the other rule's.
    setRow(fixture, { rate_limit: 0, rate_limit_duration: 0 })
    const lost = 'drift/rate-limit-lost /rate_limit rate limit removed (was 100 per 60 s)'
    const timeout = 'drift/unexpected  1 field differs from the approved baseline: /http_timeout is 44 (approved: 15)'
    expect(await messages()).toEqual([`continuing ${timeout}`, `opened ${lost}`])
    // Where nothing is left, that is not fixed.
    setRow(fixture, { http_timeout: 15 })
    const gone = 'drift/unexpected  other drift rules report what differs'
    expect(await messages()).toEqual([`continuing ${lost}`, `policy ${gone}`])
    expect(await messages()).toEqual([`continuing ${lost}`])
    // A rule that is off for the resource reports nothing.
    const all = '/rate_limit is 0 (approved: 100), /rate_limit_duration is 0 (approved: 60)'
    const override = `
overrides: [{ match: { kind: endpoint }, rules: { drift/rate-limit-lost: off } }]`
    expect(await messages(policyOf(`${driftRules}${override}`))).toEqual([
      `opened drift/unexpected  2 fields differ from the approved baseline: ${all}`,
      'policy drift/rate-limit-lost /rate_limit ',
    ])
    expect(await messages()).toEqual([`opened ${lost}`, `policy ${gone}`])
    // The approved state is back.
    setRow(fixture, { rate_limit: 100, rate_limit_duration: 60 })
    expect(await messages()).toEqual([`fixed ${lost}`])
  })

  it('report additions and removals for as long as they differ from the baseline', async () => {
    await using fixture = await openFixture()
    await audit(fixture)
    await approve(fixture)
    const gone = at(fixture.dataOf('payments').endpoints, 0)
    deleteEndpoint(fixture.fleet, place(fixture))
    const came = createEndpoint(fixture.fleet, fixture.uidOf('payments'), {
      name: 'new',
      url: 'https://new.example.com',
    })
    const report = await audit(fixture)
    expect(report.violations.map(({ uid, message }) => [uid, message]).sort()).toEqual(
      [
        [came, 'added: the approved baseline does not have it'],
        [gone.uid, 'removed: the approved baseline still has it'],
      ].sort(),
    )
    expect(report.violations.find(({ uid }) => uid === gone.uid)?.name).toBe(gone.name)
    expect(await lines(fixture)).toEqual(['continuing drift/unexpected', 'continuing drift/unexpected'])
    changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, endpoints: [...data.endpoints, gone] }))
    expect(await lines(fixture)).toEqual(['continuing drift/unexpected', 'resolved drift/unexpected'])
  })

  it('compare with the last scan what the baseline does not have, until a baseline has it', async () => {
    await using fixture = await openFixture()
    await audit(fixture)
    await approve(fixture)
    const project = fixture.uidOf('payments')
    const uid = createEndpoint(fixture.fleet, project, { name: 'new', url: 'https://new.example.com' })
    const limit = (rate_limit: number) =>
      changeEndpoint(fixture.fleet, { project, uid }, (row) => ({ ...row, rate_limit, rate_limit_duration: 60 }))
    limit(100)
    expect(await lines(fixture)).toEqual(['opened drift/unexpected'])
    limit(0)
    expect(await lines(fixture)).toEqual(['continuing drift/unexpected', 'opened drift/rate-limit-lost'])
    expect(await lines(fixture)).toEqual(['continuing drift/rate-limit-lost', 'continuing drift/unexpected'])
    await approve(fixture)
    expect((await audit(fixture)).violations.map(({ resolution }) => resolution)).toEqual(['accepted', 'accepted'])
  })

  it('report no removal of resources that an incomplete walk did not show', async () => {
    await using fixture = await openFixture(pagesOfTwo)
    await audit(fixture)
    await approve(fixture)
    deleteEndpoint(fixture.fleet, place(fixture, 3))
    fixture.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset' })
    expect(await lines(fixture)).toEqual([])
    expect(await lines(fixture)).toEqual(['opened drift/unexpected'])
    fixture.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset' })
    expect(await lines(fixture)).toEqual(['unknown drift/unexpected'])
    expect(await lines(fixture)).toEqual(['continuing drift/unexpected'])
  })

  it('keep violations of a project as unknown while a foreign project answers', async () => {
    await using fixture = await openFixture({ fleet: { endpointsPerProject: 4, projects: 2 } })
    const [other] = fixture.fleet.projects().filter(({ uid }) => uid !== fixture.uidOf('payments'))
    await audit(fixture)
    await approve(fixture)
    setRow(fixture, moved)
    expect(await lines(fixture)).toEqual(['opened drift/unexpected', 'opened drift/url-host-changed'])
    const foreign = await fixture.audit({ policy: driftPolicy, keys: { payments: other?.key ?? '' } })
    expect(foreign.violations.map(({ state, resolution }) => [state, resolution])).toEqual([
      ['unknown', null],
      ['unknown', null],
    ])
    expect(await lines(fixture)).toEqual(['continuing drift/unexpected', 'continuing drift/url-host-changed'])
  })

  it('do not take for removed what left the filter after it was approved', async () => {
    await using fixture = await openFixture()
    setRow(fixture, { owner_id: 'tenant-01' }, 0)
    setRow(fixture, { owner_id: 'tenant-01' }, 1)
    await audit(fixture)
    await approve(fixture)
    setRow(fixture, { owner_id: 'tenant-02' }, 0)
    const { uid } = place(fixture)
    const states = (report: Report) =>
      report.violations.map(({ uid, state, resolution, message }) => [uid, state, resolution, message.split(':')[0]])
    const differs = '1 field differs from the approved baseline'
    expect(states(await audit(fixture))).toEqual([[uid, 'opened', null, differs]])
    // As it was approved, the filter would show it; as it was last seen, it does not.
    const narrowed = { policy: driftPolicy, filters: { endpoints: { owner: 'tenant-01' } } }
    expect(states(await fixture.audit(narrowed))).toEqual([[uid, 'unknown', null, differs]])
    // Unlike the list, a subscription still shows this one.
    const other = place(fixture, 1)
    createSubscription(fixture.fleet, other.project, { endpoint: other.uid })
    setRow(fixture, { owner_id: 'tenant-02' }, 1)
    expect(
      (await fixture.audit(narrowed)).violations
        .filter(({ kind }) => kind === 'endpoint')
        .map(({ uid, state }) => [uid, state]),
    ).toEqual([[uid, 'unknown']])
  })

  it('take for removed what is gone from the filter, no matter whether it was approved within', async () => {
    await using fixture = await openFixture()
    setRow(fixture, { owner_id: 'tenant-02' })
    await audit(fixture)
    await approve(fixture)
    setRow(fixture, { owner_id: 'tenant-01' })
    await audit(fixture)
    deleteEndpoint(fixture.fleet, place(fixture))
    const { drift, violations } = await fixture.audit({
      policy: driftPolicy,
      filters: { endpoints: { owner: 'tenant-01' } },
    })
    expect(drift.map(({ change }) => change)).toEqual(['removed'])
    expect(violations.map(({ state, message }) => [state, message])).toEqual([
      ['continuing', 'removed: the approved baseline still has it'],
    ])
  })

  it('do not compare seals of another installation key', async () => {
    await using fixture = await openFixture()
    await audit(fixture)
    await approve(fixture)
    expect(violationLines(await fixture.audit({ policy: driftPolicy, installationKey: 2 }))).toEqual([])
    replaceSecret(fixture.fleet, place(fixture))
    setRow(fixture, { http_timeout: 44 })
    const found = violationLines(await fixture.audit({ installationKey: 2 }))
    // The secrets have other uids: which came and which went can be seen without comparing any.
    expect(new Set(found.map((line) => line.replace(/ \w+$/, '')))).toEqual(
      new Set(['opened drift/secret-changed', 'opened drift/unexpected']),
    )
  })

  it('say nothing of a difference in a resource whose secrets another installation key sealed', async () => {
    await using fixture = await openFixture()
    const { http_timeout } = at(fixture.dataOf('payments').endpoints, 0)
    await audit(fixture)
    await approve(fixture)
    setRow(fixture, { http_timeout: 44 })
    expect(await lines(fixture)).toEqual(['opened drift/unexpected'])
    setRow(fixture, { http_timeout })
    const other = await fixture.audit({ policy: driftPolicy, installationKey: 2 })
    expect(other.violations.map(({ state, resolution }) => [state, resolution])).toEqual([['unknown', null]])
    const { violations } = await audit(fixture)
    expect(violations.map(({ state, resolution }) => [state, resolution])).toEqual([['resolved', 'fixed']])
  })

  it('can be waived, also for removed resources', async () => {
    await using fixture = await openFixture()
    await audit(fixture)
    await approve(fixture)
    setRow(fixture, { rate_limit: 1 }, 1)
    deleteEndpoint(fixture.fleet, place(fixture))
    const waived = policyOf(`
extends: []
rules: { drift/unexpected: {} }
waivers: [{ rule: drift/unexpected, match: { kind: endpoint }, owner: us, reason: until the move, expires: 2026-12-31 }]`)
    expect(await lines(fixture, waived)).toEqual(['waived drift/unexpected', 'waived drift/unexpected'])
    expect(await lines(fixture, waived)).toEqual(['waived drift/unexpected', 'waived drift/unexpected'])
  })

  it('compare with the value before the change after the approval is revoked', async () => {
    await using fixture = await openFixture()
    await audit(fixture)
    await approve(fixture)
    setRow(fixture, { rate_limit: 0, rate_limit_duration: 0, http_timeout: 44 })
    await audit(fixture)
    await withHistory(fixture, (history) => history.revoke([1], { by: 'ops', at: '2026-11-21T05:00:00.000Z' }))
    expect(new Set(await lines(fixture))).toEqual(
      new Set(['continuing drift/rate-limit-lost', 'resolved drift/unexpected']),
    )
    expect(await lines(fixture)).toEqual(['continuing drift/rate-limit-lost'])
  })

  it('end when the baseline is revoked, also where a walk breaks off', async () => {
    await using fixture = await openFixture()
    await audit(fixture)
    await approve(fixture)
    setRow(fixture, { http_timeout: 44 })
    await audit(fixture)
    await withHistory(fixture, (history) => history.revoke([1], { by: 'ops', at: '2026-11-21T05:00:00.000Z' }))
    expect(await endingsWithoutEndpoints(fixture)).toEqual([['resolved', 'policy', 'baseline']])
  })

  it('end with the run that compared with the states of files, also where a walk breaks off', async () => {
    let expected: ExpectedState | undefined
    await using fixture = await openFixture({
      harness: {
        conduct: (audit, dependencies) =>
          runAudit(
            { ...audit, projects: audit.projects.map((project) => ({ ...project, ...(expected && { expected }) })) },
            dependencies,
          ),
      },
    })
    await audit(fixture)
    const [endpoint, ...others] = fixture.dataOf('payments').endpoints
    for (const { uid } of others) deleteEndpoint(fixture.fleet, { project: fixture.uidOf('payments'), uid })
    expected = stateOf({ endpoint: { listing: 'endpoints', filter: null } }, [])
    expect((await audit(fixture)).violations.map(({ rule, uid }) => [rule, uid])).toEqual([
      ['drift/unexpected', endpoint?.uid],
    ])
    expected = undefined
    expect(await endingsWithoutEndpoints(fixture)).toEqual([['resolved', 'policy', 'rule_off']])
  })
})

/** How violations end in a run that reads no endpoint. The history verifies: that was allowed. */
async function endingsWithoutEndpoints(fixture: FleetFixture) {
  fixture.service.faults.push({ path: /endpoints/, times: Number.POSITIVE_INFINITY, how: 'reset' })
  const { violations } = await audit(fixture)
  expect(await faultsIn(fixture.harness.file)).toEqual([])
  return violations.map(({ state, resolution, ended_by: by }) => [state, resolution, by?.kind])
}

it('counts the resources whose secrets an approval under another installation key cannot be compared with', async () => {
  await using fixture = await openFixture({ fleet: { endpointsPerProject: 1 } })
  await fixture.audit({ policy: driftPolicy })
  await fixture.approve()
  const { notices } = await fixture.audit({ installationKey: 2 })
  expect(notices.map(({ text }) => text)).toContain(
    'what was approved was sealed under another installation key, or by an earlier version: secrets of 1 resource were not compared with it',
  )
})
