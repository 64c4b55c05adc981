import { describe, expect, it } from 'vitest'
import { deleteEndpoint } from '../../src/demo/edits.ts'
import { openFleetFixture, walkOf } from './fleet-fixture.ts'

async function openFixture() {
  const fixture = await openFleetFixture({ fleet: { clean: false, endpointsPerProject: 12 } })
  const { endpoints } = fixture.dataOf('payments')
  const owner = endpoints[0]?.owner_id ?? ''
  return {
    ...fixture,
    owner,
    others: endpoints.filter(({ owner_id }) => owner_id !== owner).length,
    audit: (isNarrowed: boolean) => fixture.audit({ filters: isNarrowed ? { endpoints: { owner } } : {} }),
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
    expect(walkOf(narrowed, 'endpoints')?.filter).toBe(`owner=${fixture.owner}`)
    expect(again.drift).toEqual([])
    expect(again.violations.map(({ fingerprint }) => fingerprint)).toEqual(
      whole.violations.map(({ fingerprint }) => fingerprint),
    )
  })

  it('reports removals within the filter', async () => {
    await using fixture = await openFixture()
    await fixture.audit(true)
    const { uid } = fixture.endpointAt()
    deleteEndpoint(fixture.fleet, fixture.endpointAt())
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
    expect(walkOf(whole, 'endpoints')?.items).toBe((walkOf(narrowed, 'endpoints')?.items ?? 0) + fixture.others)
  })

  it('does not miss targets of subscriptions that the filter hides', async () => {
    await using fixture = await openFixture()
    const { violations } = await fixture.audit(true)
    expect(violations.filter(({ rule }) => rule === 'subscription/target-missing')).toEqual([])
  })
})
