import { describe, expect, it } from 'vitest'
import { changeData, replaceSecret } from '../../src/demo/edits.ts'
import { hourMs } from '../../src/model/time.ts'
import { type AuditHarnessOptions, policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture, violationLines } from './fleet-fixture.ts'

const policyText = (options = '{}') => `
extends: []
rules:
  drift/authentication-lost: {}
  drift/rate-limit-lost: {}
  drift/secret-changed: ${options}
  drift/unexpected: {}
  drift/url-host-changed: ${options}
`
const policy = policyOf(policyText())
const flaps = policyOf('extends: []\nrules: { drift/flapping: {} }')

/** Four endpoints without subscriptions, audited once. */
async function openFixture(harness: Partial<AuditHarnessOptions> = {}, projects = 1) {
  const fixture = await openFleetFixture({
    fleet: { endpointsPerProject: 4, projects },
    harness: { limits: { retries: 0 }, ...harness },
  })
  changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
  fixture.set({ url: 'https://one.example.com/in', rate_limit: 50, rate_limit_duration: 60 })
  let report = await fixture.audit({ policy })
  return {
    ...fixture,
    /** `state rule [resolution]` of the next run. */
    async next(by = policy, options = {}): Promise<string[]> {
      fixture.harness.advance(hourMs)
      report = await fixture.audit({ policy: by, ...options })
      return report.violations
        .map(({ state, rule, resolution }) => [state, rule, resolution ?? []].flat().join(' '))
        .sort()
    },
    accept: (rule: string) => fixture.accept(report, rule),
    /** Revokes the first acceptance. */
    async revoke(): Promise<void> {
      fixture.harness.advance(1000)
      const signed = { by: 'bob', at: new Date(fixture.harness.clock.now()).toISOString() }
      await fixture.harness.withHistory((history) => history.revokeAcceptances([1], signed))
    },
  }
}

const changed = { url: 'https://two.example.com/in' }
const back = { url: 'https://one.example.com/in' }

describe('a violation of a drift rule', () => {
  it('stays open while the value is the changed one, with the message of its opening', async () => {
    await using fixture = await openFixture()
    fixture.set(changed)
    expect(await fixture.next()).toEqual(['opened drift/url-host-changed'])
    for (let run = 0; run < 10; run += 1) expect(await fixture.next()).toEqual(['continuing drift/url-host-changed'])
    const { violations } = await fixture.audit({ policy })
    expect(violations.map(({ message }) => message)).toEqual(['delivers to two.example.com (was one.example.com)'])
  })

  it('compares with the value before the first of several changes', async () => {
    await using fixture = await openFixture()
    fixture.set(changed)
    await fixture.next()
    fixture.set({ url: 'https://three.example.com/in' })
    const { violations } = await fixture.audit({ policy })
    expect(violations.map(({ state, message }) => [state, message])).toEqual([
      ['continuing', 'delivers to three.example.com (was one.example.com)'],
    ])
    fixture.set(back)
    expect(await fixture.next()).toEqual(['resolved drift/url-host-changed fixed'])
  })

  it('is unknown while its resource is not scanned, and goes on afterwards', async () => {
    await using fixture = await openFixture()
    fixture.set(changed)
    await fixture.next()
    fixture.service.failNext({ path: /\/endpoints/, page: 1, how: 'reset' })
    expect(await fixture.next()).toEqual(['unknown drift/url-host-changed'])
    expect(await fixture.next()).toEqual(['continuing drift/url-host-changed'])
  })

  it('is unknown when the secrets of its origin were sealed with another key', async () => {
    await using fixture = await openFixture()
    replaceSecret(fixture.fleet, fixture.endpointAt())
    const opened = await fixture.next()
    expect(new Set(opened)).toEqual(new Set(['opened drift/secret-changed']))
    const states = (await fixture.next(policy, { installationKey: 2 })).map((line) => line.split(' ')[0])
    expect(states).not.toContain('resolved')
  })

  it('expires after open_for, and only then', async () => {
    await using fixture = await openFixture()
    const soon = policyOf(policyText('{ open_for: 3h }'))
    fixture.set(changed)
    expect(await fixture.next(soon)).toEqual(['opened drift/url-host-changed'])
    const seen = new Set<string>()
    for (let run = 0; run < 6; run += 1) for (const line of await fixture.next(soon)) seen.add(line)
    expect([...seen]).toEqual(['continuing drift/url-host-changed', 'resolved drift/url-host-changed expired'])
    expect(await fixture.next(soon)).toEqual([])
  })
})

describe('an acceptance', () => {
  it('that is revoked opens the violation again while the value is the changed one', async () => {
    await using fixture = await openFixture()
    fixture.set(changed)
    await fixture.next()
    await fixture.accept('drift/url-host-changed')
    await fixture.next()
    await fixture.revoke()
    expect(await fixture.next()).toEqual(['opened drift/url-host-changed'])
    fixture.set(back)
    expect(await fixture.next()).toEqual(['resolved drift/url-host-changed fixed'])
  })

  it('covers a violation of any rule until it is revoked', async () => {
    await using fixture = await openFixture()
    const plain = policyOf('extends: []\nrules: { endpoint/url-not-https: {} }')
    fixture.set({ url: 'http://one.example.com/in' })
    expect(await fixture.next(plain)).toEqual(['opened endpoint/url-not-https'])
    await fixture.accept('endpoint/url-not-https')
    expect(await fixture.next(plain)).toEqual(['resolved endpoint/url-not-https accepted'])
    expect(await fixture.next(plain)).toEqual([])
    await fixture.revoke()
    expect(await fixture.next(plain)).toEqual(['opened endpoint/url-not-https'])
  })
})

/** `state rule` of the next run. */
const lines = async ({ audit }: Pick<FleetFixture, 'audit'>, by = policy) =>
  violationLines(await audit({ policy: by })).map((line) => line.replace(/ \w+$/, ''))

describe('a flapping field', () => {
  it('is reported from its third change on, and for a day after the first', async () => {
    await using fixture = await openFixture()
    const found: string[][] = []
    for (const status of ['paused', 'active', 'paused', 'paused']) {
      fixture.set({ status })
      found.push(await lines(fixture, flaps))
    }
    expect(found).toEqual([[], [], ['opened drift/flapping'], ['continuing drift/flapping']])
    fixture.harness.advance(24 * 3_600_000)
    expect(await lines(fixture, flaps)).toEqual(['resolved drift/flapping'])
  })

  it('is not reported when each scan repeats one change until a walk is complete', async () => {
    await using fixture = await openFixture({ pageSize: 2 })
    fixture.set({ status: 'paused' })
    fixture.service.failNext({ how: 'status', status: 403, path: /\/endpoints/, page: 2, times: 4 })
    const announced: number[] = []
    for (let runs = 0; runs < 4; runs++) {
      // Something else changes every time, so that what is known of it does, too.
      fixture.set({ http_timeout: 20 + runs })
      const report = await fixture.audit({ policy: flaps })
      announced.push(report.drift.flatMap(({ fields }) => fields).filter(({ path }) => path === '/status').length)
      const flapping = violationLines(report).filter((line) => line.includes('/status'))
      expect(flapping).toEqual([])
    }
    expect(announced).toEqual([1, 1, 1, 1])
    expect(await lines(fixture, flaps)).toEqual(['continuing drift/flapping'])
  })
})
