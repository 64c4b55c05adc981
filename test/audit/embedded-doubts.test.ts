import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { policyOf } from './audit-harness.ts'
import { driftLines, violationLines } from './fleet-fixture.ts'
import { anEndpoint, aRow, aSource, aSubscription, openLiteral, type Shown } from './literal-service.ts'

const policy = policyOf('extends: [all]')
const endpoints = [anEndpoint('e')]
const subscriptions = (more: JsonObject): Shown => ({ endpoints, subscriptions: [aSubscription('s', 'e', more)] })
const device = {
  uid: 'd',
  project_id: 'p',
  endpoint_id: 'e',
  host_name: 'laptop',
  status: 'online',
  last_seen_at: null,
}
const verifier = { header: 'X-Sig', hash: 'SHA256', secret: 'hm_578715bbd26944ff770e4b94', encoding: 'hex' }
const source = (hmac: JsonObject): JsonObject => ({
  ...{ uid: 'src', name: 'inbox', type: 'http' },
  verifier: { type: 'hmac', hmac, basic_auth: null, api_key: null },
})

describe('what a subscription embeds', () => {
  it('is not new where an earlier scan did not show what it refers to', async () => {
    await using fixture = await openLiteral(subscriptions({ device_metadata: 7 }))
    await fixture.audit({ policy })
    fixture.show(subscriptions({ device_metadata: device }))
    expect(driftLines(await fixture.audit()).filter((line) => line.startsWith('added'))).toEqual([])
    fixture.show(subscriptions({ device_metadata: { ...device, uid: 'other' } }))
    expect(driftLines(await fixture.audit()).filter((line) => line.startsWith('added'))).toEqual([
      expect.stringContaining('added device other'),
    ])
  })

  it('is whole where it is there: a member that it lacks was not shown', async () => {
    await using fixture = await openLiteral(subscriptions({ source_metadata: source(verifier) }))
    await fixture.audit({ policy })
    const { secret: _, ...lacking } = verifier
    fixture.show(subscriptions({ source_metadata: source(lacking) }))
    const report = await fixture.audit()
    const gap = report.gaps.find(({ rule, field }) => rule === 'drift/secret-changed' && field?.includes('hmac.secret'))
    expect(gap).toMatchObject({ cause: 'field_unseen', kind: 'source', since: { run: 2 } })
    fixture.show(subscriptions({ source_metadata: source(verifier) }))
    expect(violationLines(await fixture.audit()).filter((line) => line.includes('secret-changed'))).toEqual([])
  })
})

describe('a field that a list did not show', () => {
  it('is in doubt since the same run after one of which only a stub is known', async () => {
    const { created_at: _, ...lacking } = aSource('src')
    const shown = { ...subscriptions({ source_metadata: { uid: 'src', type: 'http', verifier: null } }) }
    await using fixture = await openLiteral({ ...shown, sources: [lacking] })
    const sinceOf = async () => {
      const { gaps } = await fixture.audit({ policy })
      return gaps.flatMap(({ kind, field, since }) =>
        kind === 'source' && field === 'created_at' ? [since.run] : [],
      )[0]
    }
    expect(await sinceOf()).toBe(1)
    fixture.show({ sources: ['{'] })
    expect(await sinceOf()).toBe(1)
    fixture.show({ sources: [lacking] })
    expect(await sinceOf()).toBe(1)
    fixture.show({ sources: [aSource('src')] })
    expect(await sinceOf()).toBeUndefined()
  })
})

describe('a field of filter rows that is in doubt', () => {
  it('is so since the same run after one that could not read the rows', async () => {
    const row = aRow('s', 'order.created', { headers: 7 })
    await using fixture = await openLiteral({ ...subscriptions({}), filters: { s: [row] } })
    const sinceOf = async () => {
      const { gaps } = await fixture.audit({ policy, listings: { filters: 'required' } })
      return gaps.flatMap(({ field, since }) => (field === 'filters[].headers' ? [since.run] : []))[0]
    }
    expect(await sinceOf()).toBe(1)
    fixture.show({ filters: { s: 500 } })
    await sinceOf()
    fixture.show({ filters: { s: [row] } })
    expect(await sinceOf()).toBe(1)
  })
})
