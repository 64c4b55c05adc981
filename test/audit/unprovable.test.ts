import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { type AuditTurn, openAuditHarness, policyOf } from './audit-harness.ts'
import { endpointsIn } from './endpoints-in.ts'

/** A project with six resources, and the key of another, empty project: this service answers it 200 with nothing. */
async function openFixture() {
  const fleet = generateFleet({ projects: 2, incomingEvery: 0, endpointsPerProject: 3 })
  const [full, empty] = fleet.projects()
  if (full === undefined || empty === undefined) throw new Error('two projects were asked for')
  fleet.replace(empty.uid, { data: { endpoints: [], sources: [], subscriptions: [] } })
  const service = await startSimulatedService(fleet)
  service.behaviour.offers.project = false
  const harness = openAuditHarness({ projects: { orders: full.uid }, key: fleet.personalKey })
  return {
    service,
    audit: auditor(service, harness),
    own: fleet.personalKey,
    foreign: empty.key,
    ...closing(service, harness),
  }
}

function closing(service: SimulatedService, harness: ReturnType<typeof openAuditHarness>) {
  return {
    async [Symbol.asyncDispose]() {
      await service.close()
      await harness[Symbol.asyncDispose]()
    },
  }
}

function auditor(service: SimulatedService, { audit }: ReturnType<typeof openAuditHarness>) {
  return async (key: string, turn: Partial<AuditTurn> = {}) =>
    endpointsIn(await audit({ url: service.url, keys: { orders: key }, ...turn }))
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
    for (const { uid } of fixture.service.fleet.projects())
      fixture.service.fleet.replace(uid, { data: { endpoints: [], sources: [], subscriptions: [] } })
    expect(await fixture.audit(fixture.own)).toMatchObject({ exit: 0, status: 'complete', removed: 6 })
  })

  it('confirms no removal that a later walk disproves: a partial outage is withheld like any other', async () => {
    const fleet = generateFleet({ projects: 1, incomingEvery: 0, endpointsPerProject: 40, subscriptionsPerProject: 0 })
    const [project] = fleet.projects()
    if (project === undefined) throw new Error('a project was asked for')
    await using service = await startSimulatedService(fleet)
    service.behaviour.offers.project = false
    await using harness = openAuditHarness({ projects: { orders: project.uid }, key: fleet.personalKey })
    const all = fleet.open(project.uid)
    const show = (endpoints: typeof all.endpoints) => fleet.replace(project.uid, { data: { ...all, endpoints } })
    const policy = policyOf('extends: []\nrules: { project/mass-removal: {} }')
    const audit = () => auditor(service, harness)(fleet.personalKey, { policy })
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
