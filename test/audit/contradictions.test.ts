import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { violationLines, walkOf } from './fleet-fixture.ts'
import { anEndpoint, aSource, aSubscription, openLiteral, type Shown } from './literal-service.ts'

const uids = Array.from({ length: 25 }, (_, at) => `EP-${String(at + 1).padStart(2, '0')}`)
const endpoints = uids.map((uid) => anEndpoint(uid, { status: 'inactive' }))
const subscriptions = uids.map((uid) => aSubscription(`SUB-${uid}`, uid))
const policy = policyOf('extends: []\nrules: { endpoint/inactive: {}, source/disabled: {} }')

function removedOf({ drift }: Report): string[] {
  return drift.flatMap(({ change, uid }) => (change === 'removed' ? [uid] : []))
}

const states = (report: Report) => [...new Set(report.violations.map(({ state }) => state))]

describe('endpoints that the list leaves out and subscriptions show', () => {
  it('are not removed, however often it happens', async () => {
    await using fixture = await openLiteral({ endpoints, subscriptions })
    await fixture.audit({ policy })
    fixture.show({ endpoints: [] })
    for (const _ of [2, 3, 4]) {
      const report = await fixture.audit()
      expect(report.verdict.exit_code).toBe(3)
      expect(walkOf(report, 'endpoints')).toMatchObject({
        status: 'suspect',
        cause: 'contradicted',
        reason:
          'subscriptions of the same scan show 25 endpoints that the list leaves out (EP-01, EP-02, EP-03, EP-04, EP-05 and 20 more): nothing is removed until a scan shows no contradiction, or with --accept-removals',
      })
      expect([removedOf(report), states(report)]).toEqual([[], ['unknown']])
    }
    fixture.show({ endpoints })
    const seen = await fixture.audit()
    expect([walkOf(seen, 'endpoints')?.status, states(seen)]).toEqual(['complete', ['continuing']])
  })

  it('are removed when the next scan shows them nowhere', async () => {
    await using fixture = await openLiteral({ endpoints, subscriptions })
    await fixture.audit({ policy })
    // Deleted between reading the two lists.
    fixture.show({ endpoints: endpoints.slice(1) })
    const race = await fixture.audit()
    expect(walkOf(race, 'endpoints')).toMatchObject({ cause: 'contradicted' })
    expect(removedOf(race)).toEqual([])
    fixture.show({ subscriptions: subscriptions.slice(1) })
    const after = await fixture.audit()
    expect(after.coverage.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete', 'complete'])
    expect(removedOf(after)).toEqual(['EP-01', 'SUB-EP-01'])
    expect(violationLines(after)).toContain('resolved endpoint/inactive EP-01')
  })

  it('are no contradiction when nothing embeds them, or nothing knew them', async () => {
    const orphans = [...endpoints, anEndpoint('EP-26')]
    await using fixture = await openLiteral({ endpoints: orphans, subscriptions })
    await fixture.audit({ policy })
    // Made after the list of endpoints was read.
    fixture.show({ endpoints, subscriptions: [...subscriptions, aSubscription('SUB-new', 'EP-new')] })
    const report = await fixture.audit()
    expect(walkOf(report, 'endpoints')?.status).toBe('complete')
    expect(removedOf(report)).toEqual(['EP-26'])
  })

  it.each([
    ['long', 'x'.repeat(5000)],
    ['hidden', 'null \u0000'],
    ['half a character', 'half \ud800'],
  ])('are named in a reason that every history takes: %s', async (_, uid) => {
    await using fixture = await openLiteral({ endpoints: [], subscriptions: [aSubscription('SUB-1', uid)] })
    const { coverage } = await fixture.audit({ policy })
    const reasons = coverage.flatMap(({ reason }) => reason ?? [])
    expect(reasons).toHaveLength(1)
    expect(reasons.join('').length).toBeLessThan(500)
    expect(reasons.join('').isWellFormed()).toBe(true)
  })

  it('went out of view where the list is narrowed by a filter', async () => {
    const owned = endpoints.map((endpoint) => ({ ...endpoint, owner_id: 'a' }))
    const filters = { endpoints: { owner: 'a' } }
    await using fixture = await openLiteral({ endpoints: owned, subscriptions })
    await fixture.audit({ policy, filters })
    // It has another owner now.
    fixture.show({ endpoints: owned.slice(1) })
    for (const _ of [2, 3]) {
      const report = await fixture.audit({ filters })
      expect(walkOf(report, 'endpoints')?.status).toBe('complete')
      expect(removedOf(report)).toEqual([])
      expect(violationLines(report)).toContain('unknown endpoint/inactive EP-01')
    }
  })

  it('count only where the subscription shows them in this scan', async () => {
    await using fixture = await openLiteral({ endpoints, subscriptions })
    await fixture.audit({ policy })
    const [{ endpoint_metadata: _, ...silent } = {}, ...others] = subscriptions
    fixture.show({ endpoints: endpoints.slice(1), subscriptions: [silent, ...others] })
    const report = await fixture.audit()
    expect(walkOf(report, 'endpoints')?.status).toBe('complete')
    expect(removedOf(report)).toEqual(['EP-01'])
  })

  it('are to a replay what they were to the run', async () => {
    await using fixture = await openLiteral({ endpoints, subscriptions })
    await fixture.replaysAs(policy, [{}, { endpoints: endpoints.slice(3) }, { endpoints: [] }, { endpoints }])
  })
})

describe('sources that the list leaves out and subscriptions show', () => {
  const sources = ['SRC-1', 'SRC-2'].map((uid) => aSource(uid, { is_disabled: true }))
  const stub = (uid: string) => ({ uid, name: uid, type: 'http', is_disabled: true, verifier: null })
  const users = ['SRC-1', 'SRC-2'].map((uid) => aSubscription(`SUB-${uid}`, 'EP-01', { source_metadata: stub(uid) }))
  const shown: Shown = { endpoints: endpoints.slice(0, 1), sources, subscriptions: users }

  it('make the list suspect', async () => {
    await using fixture = await openLiteral(shown)
    await fixture.audit({ policy })
    for (const left of [sources.slice(1), []]) {
      fixture.show({ sources: left })
      for (const _ of [1, 2]) {
        const report = await fixture.audit()
        expect(walkOf(report, 'sources')).toMatchObject({ status: 'suspect', cause: 'contradicted' })
        expect(walkOf(report, 'sources')?.reason).toContain(
          left.length === 0
            ? 'show 2 sources that the list leaves out (SRC-1, SRC-2)'
            : 'show 1 source that the list leaves out (SRC-1)',
        )
        expect([removedOf(report), report.verdict.exit_code]).toEqual([[], 3])
      }
    }
    fixture.show({ sources: [], subscriptions: [] })
    const after = await fixture.audit()
    expect(removedOf(after)).toEqual(['SRC-1', 'SRC-2', 'SUB-SRC-1', 'SUB-SRC-2'])
  })

  it('are all there is where sources are not listed', async () => {
    await using fixture = await openLiteral(shown)
    for (const _ of [1, 2]) {
      const report = await fixture.audit({ policy, listings: { sources: 'off' } })
      expect(report.coverage.map(({ listing, status }) => `${listing} ${status}`)).toEqual([
        'project complete',
        'endpoints complete',
        'subscriptions complete',
      ])
    }
  })

  it('are no contradiction when they are new', async () => {
    await using fixture = await openLiteral(shown)
    await fixture.audit({ policy })
    fixture.show({ subscriptions: [...users, aSubscription('SUB-3', 'EP-01', { source_metadata: stub('SRC-3') })] })
    expect(walkOf(await fixture.audit(), 'sources')?.status).toBe('complete')
  })
})
