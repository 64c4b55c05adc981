import { describe, expect, it } from 'vitest'
import { deleteEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { openAuditHarness } from './audit-harness.ts'

async function openFixture() {
  const fleet = generateFleet({ projects: 1, incomingEvery: 0, endpointsPerProject: 12 })
  const [project] = fleet.projects()
  if (project === undefined) throw new Error('the fleet is empty')
  const service = await startSimulatedService(fleet)
  const harness = openAuditHarness({ projects: { orders: project.uid }, key: fleet.personalKey })
  const { endpoints } = fleet.open(project.uid)
  const owner = endpoints[0]?.owner_id ?? ''
  const owned = endpoints.filter(({ owner_id }) => owner_id === owner)
  return {
    fleet,
    project: project.uid,
    harness,
    owner,
    owned,
    others: endpoints.length - owned.length,
    audit: (narrow: boolean) => harness.audit({ url: service.url, filters: narrow ? { endpoints: { owner } } : {} }),
    async [Symbol.asyncDispose]() {
      await service.close()
      await harness[Symbol.asyncDispose]()
    },
  }
}

describe('a scan through a filter', () => {
  it('reports no removal of resources outside the filter, and says that it was narrowed', async () => {
    await using fixture = await openFixture()
    const whole = await fixture.audit(false)
    const narrowed = await fixture.audit(true)
    const again = await fixture.audit(false)

    expect(narrowed.drift).toEqual([])
    expect(narrowed.violations.filter(({ state }) => state === 'resolved')).toEqual([])
    expect(narrowed.coverage.map(({ listing, filter }) => [listing, filter])).toContainEqual([
      'endpoints',
      `owner=${fixture.owner}`,
    ])
    expect(again.drift).toEqual([])
    expect(again.violations.map(({ fingerprint }) => fingerprint)).toEqual(
      whole.violations.map(({ fingerprint }) => fingerprint),
    )
  })

  it('reports removals within the filter', async () => {
    await using fixture = await openFixture()
    await fixture.audit(true)
    const uid = fixture.owned[0]?.uid ?? ''
    deleteEndpoint(fixture.fleet, { project: fixture.project, uid })
    const { drift } = await fixture.audit(true)
    expect(drift.filter(({ kind }) => kind === 'endpoint').map(({ uid, change }) => [uid, change])).toEqual([
      [uid, 'removed'],
    ])
  })

  it('reports no additions when the filter is widened', async () => {
    await using fixture = await openFixture()
    const narrowed = await fixture.audit(true)
    const whole = await fixture.audit(false)
    expect(fixture.others).toBeGreaterThan(0)
    expect(whole.drift).toEqual([])
    expect(whole.coverage.find(({ listing }) => listing === 'endpoints')?.items).toBe(
      (narrowed.coverage.find(({ listing }) => listing === 'endpoints')?.items ?? 0) + fixture.others,
    )
  })

  it('does not miss targets of subscriptions that the filter hides', async () => {
    await using fixture = await openFixture()
    const { violations } = await fixture.audit(true)
    expect(violations.filter(({ rule }) => rule === 'subscription/target-missing')).toEqual([])
  })
})
