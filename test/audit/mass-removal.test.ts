import { describe, expect, it } from 'vitest'
import { changeData } from '../../src/demo/edits.ts'
import type { ProjectData } from '../../src/demo/rows.ts'
import type { Report } from '../../src/model/report.ts'
import { aStart } from '../history/samples.ts'
import { policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const guarded = policyOf('extends: []\nrules: { project/mass-removal: {}, endpoint/inactive: {} }')

/** Forty endpoints without subscriptions. */
async function openFixture() {
  const fixture = await openFleetFixture({ fleet: { endpointsPerProject: 40 } })
  changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
  return fixture
}

/** Only these endpoints are left. */
function keep(fixture: FleetFixture, all: ProjectData, isKept: (index: number) => boolean): void {
  const endpoints = all.endpoints.filter((_, index) => isKept(index))
  changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, endpoints }))
}

function outcomeOf({ verdict, coverage, drift, violations }: Report) {
  const endpoints = coverage.find(({ listing }) => listing === 'endpoints')
  return {
    exit: verdict.exit_code,
    status: endpoints?.status,
    removed: drift.filter(({ change }) => change === 'removed').length,
    states: violations.map(({ rule, state }) => `${state} ${rule}`),
  }
}
const withheld = { exit: 3, status: 'suspect', removed: 0 }

describe('a mass removal', () => {
  it('is withheld, with the violations of its resources, until a second walk misses the same ones', async () => {
    await using fixture = await openFixture()
    const all = fixture.dataOf('payments')
    changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({
      ...data,
      endpoints: data.endpoints.map((row, index) => (index === 0 ? { ...row, status: 'inactive' } : row)),
    }))
    await fixture.audit({ policy: guarded })
    keep(fixture, all, (index) => index >= 15)
    const first = await fixture.audit()
    expect(outcomeOf(first)).toEqual({
      ...withheld,
      states: ['opened project/mass-removal', 'unknown endpoint/inactive'],
    })
    expect(first.violations[0]).toMatchObject({
      kind: 'project',
      uid: fixture.uidOf('payments'),
      message: '15 of 40 endpoints disappeared in one scan; waiting for the next scan to confirm it',
    })
    expect(first.coverage.find(({ listing }) => listing === 'endpoints')?.reason).toBe(
      '15 of 40 endpoints missing at once; accepted if the next scan confirms it, or with --accept-removals',
    )
    expect(outcomeOf(await fixture.audit())).toEqual({
      exit: 0,
      status: 'complete',
      removed: 15,
      states: ['resolved project/mass-removal', 'resolved endpoint/inactive'].sort(),
    })
  })

  it('is accepted at once when a person accepts removals', async () => {
    await using fixture = await openFixture()
    const all = fixture.dataOf('payments')
    await fixture.audit({ policy: guarded })
    keep(fixture, all, () => false)
    expect(outcomeOf(await fixture.audit({ acceptsRemovals: true }))).toEqual({
      exit: 0,
      status: 'complete',
      removed: 40,
      states: [],
    })
  })

  it('is forgotten when the resources come back', async () => {
    await using fixture = await openFixture()
    const all = fixture.dataOf('payments')
    await fixture.audit({ policy: guarded })
    keep(fixture, all, (index) => index >= 15)
    await fixture.audit()
    keep(fixture, all, () => true)
    const back = { exit: 0, status: 'complete', removed: 0, states: ['resolved project/mass-removal'] }
    expect(outcomeOf(await fixture.audit())).toEqual(back)
    // What was held once does not count for later.
    keep(fixture, all, (index) => index >= 15)
    expect(outcomeOf(await fixture.audit())).toMatchObject(withheld)
  })

  it('stays withheld across walks that broke off and runs that were killed', async () => {
    await using fixture = await openFixture()
    const all = fixture.dataOf('payments')
    await fixture.audit({ policy: guarded })
    keep(fixture, all, (index) => index >= 15)
    await fixture.audit()
    fixture.service.failNext({ path: /\/endpoints/, page: 1, how: 'reset', times: 10 })
    expect(outcomeOf(await fixture.audit())).toMatchObject({
      status: 'failed',
      states: ['unknown project/mass-removal'],
    })
    fixture.service.faults.length = 0
    // A process that was killed after it had held the loss of everything.
    await fixture.harness.withHistory(async (history) => {
      const draft = await history.begin(aStart(new Date(fixture.harness.clock.now()).toISOString()))
      const ref = { name: 'acme/payments', service: 'acme', uid: fixture.uidOf('payments') }
      await draft.withholdRemovals(ref, 'endpoints', ['a'])
    })
    fixture.harness.advance(60_000)
    expect(outcomeOf(await fixture.audit())).toMatchObject({ status: 'complete', removed: 15 })
  })

  it('follows the limits of the policy, or none', async () => {
    await using fixture = await openFixture()
    const all = fixture.dataOf('payments')
    await fixture.audit({ policy: guarded })
    const strict = policyOf('extends: []\nrules: { project/mass-removal: { max_percent: 5, max_resources: 1 } }')
    keep(fixture, all, (index) => index >= 3)
    expect(outcomeOf(await fixture.audit({ policy: strict }))).toMatchObject(withheld)
    keep(fixture, all, (index) => index >= 30)
    const offHere = policyOf(`
extends: []
rules: { project/mass-removal: {} }
overrides: [{ match: { project: acme/payments }, rules: { project/mass-removal: off } }]`)
    expect(outcomeOf(await fixture.audit({ policy: offHere }))).toMatchObject({ status: 'complete', removed: 30 })
  })
})

describe('a project that the service no longer knows', () => {
  const watched = policyOf('extends: []\nrules: { project/vanished: {} }')
  const scan = async (fixture: FleetFixture) => outcomeOf(await fixture.audit({ policy: watched }))

  it('is a violation until it is walked again; an outage changes nothing', async () => {
    await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 2 } })
    await fixture.audit({ policy: watched })
    fixture.service.behaviour.closedProjects.add(fixture.uidOf('payments'))
    expect(await scan(fixture)).toEqual({
      exit: 3,
      status: 'failed',
      removed: 0,
      states: ['opened project/vanished'],
    })
    fixture.service.behaviour.outage = 'database-down'
    expect(await scan(fixture)).toMatchObject({ exit: 3, states: ['unknown project/vanished'] })
    fixture.service.behaviour.outage = null
    expect(await scan(fixture)).toMatchObject({ exit: 3, states: ['continuing project/vanished'] })
    fixture.service.behaviour.closedProjects.clear()
    expect(await scan(fixture)).toMatchObject({ exit: 0, removed: 0, states: ['resolved project/vanished'] })
  })

  it('resolves where the service shows lists only and the history proves the project', async () => {
    const vanishing = {
      fleet: { endpointsPerProject: 2 },
      service: { offers: { sources: false, project: false, eventTypes: false, projects: false, testFunction: true } },
    }
    // The harness verifies the history when it is closed.
    await using fixture = await openFleetFixture(vanishing)
    fixture.service.behaviour.closedProjects.add(fixture.uidOf('payments'))
    expect(await scan(fixture)).toMatchObject({ exit: 3, states: ['opened project/vanished'] })
    fixture.service.behaviour.closedProjects.clear()
    expect(await scan(fixture)).toMatchObject({ exit: 0, states: ['resolved project/vanished'] })
  })

  it('is not a violation when its key is refused', async () => {
    await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 2 } })
    fixture.service.behaviour.refusedKeys.add(fixture.fleet.personalKey)
    expect(await scan(fixture)).toMatchObject({ exit: 3, status: 'failed', states: [] })
  })
})
