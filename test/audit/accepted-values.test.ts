import { describe, expect, it } from 'vitest'
import { changeData, deleteEndpoint, replaceSecret } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { type Members, wireSchema } from '../../src/gateway/fields.ts'
import { listAcceptances } from '../../src/history/sql/acceptances.ts'
import { stepsOf } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { acceptedPaths } from '../../src/rules/accepted-values.ts'
import { rules } from '../../src/rules/rules.ts'
import { type AuditHarnessOptions, type AuditTurn, policyOf } from './audit-harness.ts'
import { at, openFleetFixture } from './fleet-fixture.ts'

const policy = policyOf(`
extends: []
rules:
  endpoint/auth-over-http: {}
  endpoint/owner-missing: {}
  endpoint/secret-shared: {}
  endpoint/secret-too-many: {}
  endpoint/secret-weak: {}
  endpoint/timeout-high: {}
  endpoint/url-duplicate: {}
  endpoint/url-not-https: {}
  drift/url-host-changed: {}
`)
const quiet = policyOf('extends: []\nrules: { endpoint/owner-missing: {} }\n')

/** A fleet of four endpoints. What its history keeps of acceptances, either database keeps: `acceptances-contract.ts`. */
async function openWorld(harness: Partial<AuditHarnessOptions> = {}) {
  const fixture = await openFleetFixture({
    fleet: { endpointsPerProject: 4 },
    harness: { limits: { retries: 0 }, ...harness },
  })
  let report: Report | undefined
  const last = () => {
    if (report === undefined) throw new Error('no run yet')
    return report
  }
  return {
    ...fixture,
    last,
    /** `state rule` of the next run, without what just goes on. */
    async next(turn: Omit<AuditTurn, 'url'> = {}) {
      report = await fixture.audit({ policy, ...turn })
      const shown = report.violations.filter(({ state }) => state !== 'continuing')
      return shown.map(({ state, rule, resolution }) => `${resolution ?? state} ${rule}`).sort()
    },
    accept: (rule: string, index = 0) => fixture.accept(last(), rule, fixture.endpointAt(index).uid),
    acceptances: () => fixture.harness.withHistory((history) => listAcceptances(history)),
  }
}

const overHttp = (url: string): Partial<EndpointRow> => ({
  url,
  authentication: { type: 'api_key', api_key: { header_name: 'X-Key', header_value: 'not-a-real-key-5f2c' } },
})
const before = 'accepted before, with another value, by lee on 2026-11-21'

describe('an acceptance', () => {
  it('ends when another value has the same problem, and the violation says who accepted the one before', async () => {
    await using world = await openWorld()
    world.set(overHttp('http://10.0.0.1/in'))
    await world.next()
    await world.accept('endpoint/auth-over-http')
    expect(await world.next()).toEqual(['accepted endpoint/auth-over-http'])
    expect(await world.next()).toEqual([])

    world.set({ url: 'http://evil.example.net/steal' })
    expect(await world.next()).toEqual(['opened drift/url-host-changed', 'opened endpoint/auth-over-http'])
    const found = () => world.last().violations.find(({ rule }) => rule === 'endpoint/auth-over-http')
    expect(found()).toMatchObject({
      severity: 'critical',
      message: `sends an API key to evil.example.net over plain http (${before})`,
    })
    const ended = { by: 'value_changed', at: world.last().run.started_at }
    expect(await world.acceptances()).toMatchObject([{ ended, revoked: undefined }])
    // It says so in every run, and keeps its number of rows.
    expect(await world.next()).toEqual([])
    expect(found()?.message).toContain(before)
    // The accepted value does not come back into force by itself.
    world.set({ url: 'http://10.0.0.1/in' })
    await world.next()
    expect(found()).toMatchObject({ state: 'continuing' })
  })

  it('ends when the problem was gone meanwhile, and does not hold when it comes back', async () => {
    await using world = await openWorld()
    world.set({ http_timeout: 900 })
    await world.next()
    await world.accept('endpoint/timeout-high')
    await world.next()
    world.set({ http_timeout: 30 })
    expect(await world.next()).toEqual([])
    expect(await world.acceptances()).toMatchObject([{ ended: { by: 'restored' } }])
    world.set({ http_timeout: 900 })
    expect(await world.next()).toEqual(['opened endpoint/timeout-high'])
    expect(at(world.last().violations, 0).message).toMatch(
      / \(accepted before it was put right, by lee on 2026-11-21\)$/,
    )
  })

  it('of what is put right before the next run ends with it, and the violation is fixed', async () => {
    await using world = await openWorld()
    world.set({ http_timeout: 900 })
    await world.next()
    await world.accept('endpoint/timeout-high')
    world.set({ http_timeout: 30 })
    expect(await world.next()).toEqual(['fixed endpoint/timeout-high'])
    expect(await world.acceptances()).toMatchObject([{ ended: { by: 'restored' } }])
  })

  it('of an absent value ends when there is one', async () => {
    await using world = await openWorld()
    world.set({ owner_id: '' })
    await world.next()
    await world.accept('endpoint/owner-missing')
    expect(await world.next()).toEqual(['accepted endpoint/owner-missing'])
    world.set({ owner_id: 'team-7' })
    await world.next()
    world.set({ owner_id: '' })
    expect(await world.next()).toEqual(['opened endpoint/owner-missing'])
  })

  it('of a secret ends with another secret, and holds no secret', async () => {
    await using world = await openWorld()
    const place = world.endpointAt()
    replaceSecret(world.fleet, place, 'hunter2')
    await world.next()
    await world.accept('endpoint/secret-weak')
    expect(await world.next()).toEqual(['accepted endpoint/secret-weak'])
    const [{ valueDigest } = {}] = await world.acceptances()
    expect(valueDigest).toMatch(/^[0-9a-f]{64}$/)
    replaceSecret(world.fleet, place, 'hunter3')
    expect(await world.next()).toEqual(['opened endpoint/secret-weak'])
  })

  it('of a secret says nothing about another installation key, and ends with the next secret', async () => {
    await using world = await openWorld()
    const place = world.endpointAt()
    replaceSecret(world.fleet, place, 'hunter2')
    await world.next()
    await world.accept('endpoint/secret-weak')
    await world.next()
    expect(await world.next({ installationKey: 2 })).toEqual([])
    expect(await world.next({ installationKey: 2 })).toEqual([])
    replaceSecret(world.fleet, place, 'hunter3')
    expect(await world.next({ installationKey: 2 })).toEqual(['opened endpoint/secret-weak'])
  })

  it('of a change holds until the value is back or is a third one', async () => {
    await using world = await openWorld()
    world.set({ url: 'https://one.example.com/in' })
    await world.next()
    world.set({ url: 'https://two.example.com/in' })
    await world.next()
    await world.accept('drift/url-host-changed')
    expect(await world.next()).toEqual(['accepted drift/url-host-changed'])
    // Compared with the last scan there is no drift: that is not the end of it.
    expect(await world.next()).toEqual([])
    expect(await world.acceptances()).toMatchObject([{ ended: undefined }])
    world.set({ url: 'https://three.example.com/in' })
    expect(await world.next()).toEqual(['opened drift/url-host-changed'])
    await world.accept('drift/url-host-changed')
    await world.next()
    world.set({ url: 'https://one.example.com/in' })
    await world.next()
    expect((await world.acceptances()).map(({ ended }) => ended?.by)).toEqual(['value_changed', 'restored'])
  })

  it('of what resources share is of the value of its own resource, and ends when they share it no more', async () => {
    await using world = await openWorld()
    const url = 'https://same.example.com/in'
    for (const index of [0, 1, 2]) world.set({ url }, index)
    await world.next()
    await world.accept('endpoint/url-duplicate', 1)
    expect(await world.next()).toEqual(['accepted endpoint/url-duplicate'])
    // One more is a violation of its own.
    world.set({ url }, 3)
    expect(await world.next()).toContain('opened endpoint/url-duplicate')
    expect(await world.acceptances()).toMatchObject([{ ended: undefined }])
    for (const index of [0, 2, 3]) world.set({ url: `https://other${index}.example.com/in` }, index)
    await world.next()
    expect(await world.acceptances()).toMatchObject([{ ended: { by: 'restored' } }])
  })

  it('of a secret that several share is decided by scans that saw all of them', async () => {
    await using world = await openWorld({ pageSize: 2 })
    const shared = { secrets: at(world.dataOf('payments').endpoints, 0).secrets ?? [] }
    for (const index of [0, 3]) world.set(shared, index)
    await world.next()
    await world.accept('endpoint/secret-shared', 0)
    expect(await world.next()).toEqual(['accepted endpoint/secret-shared'])
    // The other one is not seen: what is silent proves nothing.
    const { service } = world
    service.failNext({ path: /\/endpoints/, page: 2, how: 'reset', times: Number.POSITIVE_INFINITY })
    await world.next()
    expect(await world.acceptances()).toMatchObject([{ ended: undefined }])
    service.faults.length = 0
    replaceSecret(world.fleet, world.endpointAt(3))
    await world.next()
    expect(await world.acceptances()).toMatchObject([{ ended: { by: 'restored' } }])
    for (const index of [0, 3]) world.set(shared, index)
    await world.next()
    const messages = world
      .last()
      .violations.flatMap(({ rule, message }) => (rule === 'endpoint/secret-shared' ? [message] : []))
    expect(messages.filter((message) => message.includes('(accepted before it was put right, by lee'))).toHaveLength(1)
  })

  it('of a difference from the approved state holds until the state is back, and outlives another approval', async () => {
    await using world = await openWorld()
    const compared = policyOf('extends: []\nrules: { drift/unexpected: {} }\n')
    const next = () => world.next({ policy: compared })
    await next()
    await world.approve()
    world.set({ http_timeout: 45 })
    await next()
    await world.accept('drift/unexpected')
    expect(await next()).toEqual(['accepted drift/unexpected'])
    expect(await next()).toEqual([])
    world.set({ http_timeout: 46 })
    expect(await next()).toEqual(['opened drift/unexpected'])
    await world.accept('drift/unexpected')
    expect(await next()).toEqual(['accepted drift/unexpected'])
    // Another field is not what was accepted.
    world.set({ support_email: 'others@example.com' })
    expect(await next()).toEqual(['opened drift/unexpected'])
    await world.accept('drift/unexpected')
    await next()
    // Approved meanwhile: that says nothing about the value.
    await world.approve()
    expect(await next()).toEqual([])
    const endings = (await world.acceptances()).map(({ ended }) => ended?.by)
    expect(endings).toEqual(['value_changed', 'value_changed', undefined])
  })

  it.each([true, false])('ends with its resource (rule on: %s)', async (isOn) => {
    await using world = await openWorld()
    world.set({ http_timeout: 900 }, 3)
    await world.next()
    await world.accept('endpoint/timeout-high', 3)
    await world.next()
    changeData(world.fleet, world.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
    deleteEndpoint(world.fleet, world.endpointAt(3))
    await world.next(isOn ? {} : { policy: quiet })
    expect(await world.acceptances()).toMatchObject([{ ended: { by: 'removed' } }])
  })

  it('neither ends nor is renewed while its resource cannot be seen', async () => {
    await using world = await openWorld({ pageSize: 2 })
    world.set({ http_timeout: 900 }, 3)
    await world.next()
    await world.accept('endpoint/timeout-high', 3)
    await world.next()
    const { service } = world
    service.failNext({ path: /\/endpoints/, page: 2, how: 'reset', times: Number.POSITIVE_INFINITY })
    world.set({ http_timeout: 901 }, 3)
    expect(await world.next()).toEqual([])
    expect(await world.acceptances()).toMatchObject([{ ended: undefined }])
    service.faults.length = 0
    expect(await world.next()).toEqual(['opened endpoint/timeout-high'])
    expect(await world.acceptances()).toMatchObject([{ ended: { by: 'value_changed' } }])
  })

  it('does not end with other fields, nor with another policy', async () => {
    await using world = await openWorld()
    world.set({ ...overHttp('http://10.0.0.1/in'), http_timeout: 900 })
    await world.next()
    await world.accept('endpoint/timeout-high')
    await world.accept('endpoint/url-not-https')
    await world.next()
    world.set({ description: 'other words', name: 'renamed' })
    await world.next()
    await world.next({ policy: quiet })
    await world.next({ policy: quiet })
    const lax = policyOf('extends: []\nrules: { endpoint/timeout-high: { max_seconds: 3600 } }\n')
    await world.next({ policy: lax })
    await world.next({ policy: lax })
    await world.next()
    expect((await world.acceptances()).map(({ ended }) => ended)).toEqual([undefined, undefined])
  })
})

function isField(members: Members, [name = '', ...rest]: readonly string[]): boolean {
  const field = members[name]
  if (field === undefined) return false
  const inner = field.type === 'keyed' ? rest.slice(1) : rest
  return inner.length === 0 || ('members' in field && isField(field.members, inner))
}

it('what is accepted with a finding are fields of the kinds that its rule reads', () => {
  const odd = rules.flatMap(({ id, needs, acceptedWith = [] }) => {
    const pointers = acceptedWith === 'nothing' ? [] : acceptedWith
    return pointers.flatMap((pointer) =>
      needs.some((kind) => isField(wireSchema[kind], stepsOf(pointer))) ? [] : [`${id}: ${pointer}`],
    )
  })
  expect(odd).toEqual([])
  expect(isField(wireSchema.endpoint, stepsOf('/authentication/oauth3'))).toBe(false)
  expect(acceptedPaths({ rule: 'acme/own', path: '' })).toEqual([''])
})

it('what is accepted of the declared filter does not hang on filter rows, which a later run may read first', () => {
  const pathsOf = (rule: string, path: string) => acceptedPaths({ rule, path })
  expect(pathsOf('drift/filter-widened', '/filter_config/filter')).not.toContain('/filters')
  expect(pathsOf('drift/filter-widened', '/filters/a/body')).toContain('/filters')
  expect(pathsOf('subscription/duplicate', '/filter_config/event_types')).not.toContain('/filters')
  expect(pathsOf('subscription/duplicate', '/filters/a')).toContain('/filters')
})
