import { describe, expect, it } from 'vitest'
import { type AuditTurn, policyOf } from './audit-harness.ts'
import { endpointsIn } from './endpoints-in.ts'
import { type FleetFixtureOptions, openFleetFixture } from './fleet-fixture.ts'

const nothing = { endpoints: [], sources: [], subscriptions: [] }

/** A project with six resources, and the key of another, empty project: this service answers it 200 with nothing. */
async function openFixture(fleet: FleetFixtureOptions['fleet'] = { projects: 2, endpointsPerProject: 3 }) {
  const fixture = await openFleetFixture({ fleet: { clean: false, ...fleet } })
  const empty = fixture.fleet.project(fixture.uidOf('orders'))
  if (empty !== undefined) fixture.fleet.replace(empty.uid, { data: nothing })
  fixture.service.behaviour.offers.project = false
  return {
    ...fixture,
    own: fixture.fleet.personalKey,
    foreign: empty?.key ?? '',
    audit: async (key = fixture.fleet.personalKey, turn: Partial<AuditTurn> = {}) =>
      endpointsIn(await fixture.audit({ only: ['acme/payments'], keys: { payments: key }, ...turn })),
  }
}

const unproven = {
  exit: 3,
  status: 'suspect',
  removed: 0,
  resolved: 0,
  reason:
    "empty, and the service cannot confirm the key's project: not accepted, however often it comes. " +
    'Check the key; if the project is really empty, run `hookdrift audit --accept-removals` once',
}

describe('an empty list whose project cannot be determined', () => {
  it('is never accepted by repetition', async () => {
    await using fixture = await openFixture()
    const before = await fixture.audit(fixture.own)
    for (let time = 0; time < 4; time++) expect(await fixture.audit(fixture.foreign)).toEqual(unproven)
    expect(await fixture.audit(fixture.own)).toEqual(before)
    expect(await fixture.audit(fixture.foreign)).toEqual(unproven)
  })

  it('is accepted once a person accepts it, from then on', async () => {
    await using fixture = await openFixture()
    await fixture.audit(fixture.own)
    await fixture.audit(fixture.foreign)
    const accepted = { exit: 0, status: 'complete' }
    expect(await fixture.audit(fixture.foreign, { acceptsRemovals: true })).toMatchObject({ ...accepted, removed: 6 })
    expect(await fixture.audit(fixture.foreign)).toMatchObject({ ...accepted, removed: 0 })
  })

  it('is accepted when the project answers for itself', async () => {
    await using fixture = await openFixture()
    await fixture.audit(fixture.own)
    await fixture.audit(fixture.foreign)
    fixture.service.behaviour.offers.project = true
    fixture.fleet.replace(fixture.uidOf('payments'), { data: nothing })
    expect(await fixture.audit(fixture.own)).toMatchObject({ exit: 0, status: 'complete', removed: 6 })
  })

  it('confirms no removal that a later walk disproves: a partial outage is withheld like any other', async () => {
    await using fixture = await openFixture({ endpointsPerProject: 40, subscriptionsPerProject: 0 })
    const project = fixture.uidOf('payments')
    const all = fixture.dataOf('payments')
    const show = (endpoints: typeof all.endpoints) => fixture.fleet.replace(project, { data: { ...all, endpoints } })
    const policy = policyOf('extends: []\nrules: { project/mass-removal: {} }')
    const audit = () => fixture.audit(fixture.own, { policy })
    await audit()
    show([])
    expect(await audit()).toMatchObject(unproven)
    show(all.endpoints.slice(0, 3))
    expect(await audit()).toMatchObject({ exit: 3, status: 'suspect', removed: 0 })
    expect(await audit()).toMatchObject({ exit: 0, status: 'complete', removed: 37 })
  })

  it('is not accepted at first, until a person accepts it or resources appear', async () => {
    await using fixture = await openFixture()
    expect(await fixture.audit(fixture.foreign)).toEqual(unproven)
    expect(await fixture.audit(fixture.foreign)).toEqual(unproven)
    expect(await fixture.audit(fixture.foreign, { acceptsRemovals: true })).toMatchObject({
      exit: 0,
      status: 'complete',
    })
    expect(await fixture.audit(fixture.foreign)).toMatchObject({ exit: 0, status: 'complete' })
    expect(await fixture.audit(fixture.own)).toMatchObject({ status: 'complete', removed: 0 })
  })
})
