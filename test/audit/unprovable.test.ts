import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { openStand } from './stand.ts'

describe('a service that does not say whose key it is', () => {
  it('is not believed at once when everything is gone, and is when the next walk says so too', async () => {
    const fleet = generateFleet({ projects: 2, incomingEvery: 0, endpointsPerProject: 3 })
    const [full, empty] = fleet.projects()
    if (full === undefined || empty === undefined) throw new Error('two projects were asked for')
    fleet.replace(empty.uid, { data: { endpoints: [], sources: [], subscriptions: [] } })
    await using service = await startSimulatedService(fleet)
    service.behaviour.offers.project = false
    using stand = openStand({ projects: { orders: full.uid }, key: fleet.personalKey })
    const audit = async (key: string) => {
      const { drift, coverage, verdict, violations } = await stand.audit({ url: service.url, keys: { orders: key } })
      return {
        exit: verdict.exit_code,
        status: coverage.find(({ listing }) => listing === 'endpoints')?.status,
        removed: drift.filter(({ change }) => change === 'removed').length,
        resolved: violations.filter(({ state }) => state === 'resolved').length,
      }
    }
    const before = await audit(fleet.personalKey)
    // The key of another, empty project: this service answers 200 with nothing.
    expect(await audit(empty.key)).toEqual({ exit: 3, status: 'suspect', removed: 0, resolved: 0 })
    expect(await audit(fleet.personalKey)).toEqual(before)
    expect(await audit(empty.key)).toMatchObject({ exit: 3, status: 'suspect', removed: 0 })
    expect(await audit(empty.key)).toMatchObject({ exit: 0, status: 'complete', removed: 6 })
  })

  it('is believed when it never showed anything', async () => {
    const fleet = generateFleet({ projects: 1, incomingEvery: 0, endpointsPerProject: 0 })
    const [project] = fleet.projects()
    await using service = await startSimulatedService(fleet)
    service.behaviour.offers.project = false
    using stand = openStand({ projects: { orders: project?.uid ?? '' }, key: fleet.personalKey })
    const { verdict, coverage } = await stand.audit({ url: service.url })
    expect(verdict.exit_code).toBe(0)
    expect(coverage.map(({ listing, status }) => `${listing} ${status}`)).toContain('endpoints complete')
  })
})
