import { describe, expect, it } from 'vitest'
import { deleteEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { openStand } from './stand.ts'

async function aSite() {
  const fleet = generateFleet({ projects: 1, incomingEvery: 0, endpointsPerProject: 12 })
  const [project] = fleet.projects()
  if (project === undefined) throw new Error('the fleet is empty')
  const service = await startSimulatedService(fleet)
  const stand = openStand({ projects: { orders: project.uid }, key: fleet.personalKey })
  const { endpoints } = fleet.open(project.uid)
  const owner = endpoints[0]?.owner_id ?? ''
  const owned = endpoints.filter(({ owner_id }) => owner_id === owner)
  return {
    fleet,
    project: project.uid,
    stand,
    owner,
    owned,
    others: endpoints.length - owned.length,
    audit: (narrow: boolean) => stand.audit({ url: service.url, filters: narrow ? { endpoints: { owner } } : {} }),
    async [Symbol.asyncDispose]() {
      await service.close()
      stand[Symbol.dispose]()
    },
  }
}

describe('a look through a filter', () => {
  it('takes nothing for gone that lies outside it, and says that it was narrowed', async () => {
    await using site = await aSite()
    const whole = await site.audit(false)
    const narrowed = await site.audit(true)
    const again = await site.audit(false)

    expect(narrowed.drift).toEqual([])
    expect(narrowed.violations.filter(({ state }) => state === 'resolved')).toEqual([])
    expect(narrowed.coverage.map(({ listing, filter }) => [listing, filter])).toContainEqual([
      'endpoints',
      `owner=${site.owner}`,
    ])
    expect(again.drift).toEqual([])
    expect(again.violations.map(({ fingerprint }) => fingerprint)).toEqual(
      whole.violations.map(({ fingerprint }) => fingerprint),
    )
  })

  it('sees what goes within it', async () => {
    await using site = await aSite()
    await site.audit(true)
    const uid = site.owned[0]?.uid ?? ''
    deleteEndpoint(site.fleet, { project: site.project, uid })
    const { drift } = await site.audit(true)
    expect(drift.filter(({ kind }) => kind === 'endpoint').map(({ uid, change }) => [uid, change])).toEqual([
      [uid, 'removed'],
    ])
  })

  it('takes nothing for new when it is widened', async () => {
    await using site = await aSite()
    const narrowed = await site.audit(true)
    const whole = await site.audit(false)
    expect(site.others).toBeGreaterThan(0)
    expect(whole.drift).toEqual([])
    expect(whole.coverage.find(({ listing }) => listing === 'endpoints')?.items).toBe(
      (narrowed.coverage.find(({ listing }) => listing === 'endpoints')?.items ?? 0) + site.others,
    )
  })

  it('does not miss the targets of subscriptions that lie outside it', async () => {
    await using site = await aSite()
    const { violations } = await site.audit(true)
    expect(violations.filter(({ rule }) => rule === 'subscription/target-missing')).toEqual([])
  })
})
