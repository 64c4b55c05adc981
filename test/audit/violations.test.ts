import { describe, expect, it } from 'vitest'
import { changeEndpoint, createEndpoint, deleteEndpoint, updateSource } from '../../src/demo/edits.ts'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { at, type FleetFixtureOptions, openFleetFixture, pagesOfTwo, violationLines } from './fleet-fixture.ts'

/** Six sound endpoints; the first of them is about to go wrong. */
const openFixture = (options: FleetFixtureOptions = {}) =>
  openFleetFixture({ fleet: { endpointsPerProject: 6 }, ...options })

const inactive = policyOf('extends: []\nrules: { endpoint/inactive: {} }')

/** What a report says of its only violation. */
function only({ violations }: Report) {
  expect(violations).toHaveLength(1)
  return at(violations, 0)
}

describe('a violation', () => {
  it('is opened, continues, is resolved, and then leaves the report', async () => {
    await using fixture = await openFixture()
    fixture.set({ status: 'inactive' })
    const [one, two] = [await fixture.audit({ policy: inactive }), await fixture.audit()]
    fixture.set({ status: 'active' })
    const [three, four] = [await fixture.audit(), await fixture.audit()]

    const { uid } = fixture.endpointAt()
    const same = {
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      rule: 'endpoint/inactive',
      severity: 'high',
      project: 'acme/payments',
      kind: 'endpoint',
      uid,
      name: at(fixture.dataOf('payments').endpoints, 0).name,
      owner: at(fixture.dataOf('payments').endpoints, 0).owner_id,
      path: '/status',
      message: 'disabled after failures: its events are discarded, not queued',
      first_seen: one.run.started_at,
      due_at: null,
      resolution: null,
      ended_by: null,
    }
    expect([one, two, three].map(only)).toEqual([
      { ...same, state: 'opened', last_seen: one.run.started_at },
      { ...same, state: 'continuing', last_seen: two.run.started_at },
      { ...same, state: 'resolved', resolution: 'fixed', last_seen: two.run.started_at },
    ])
    expect(new Set([one, two, three].map((report) => only(report).fingerprint)).size).toBe(1)
    expect(four.violations).toEqual([])
    expect([one, two, three, four].map(({ verdict }) => verdict.exit_code)).toEqual([1, 1, 0, 0])
    expect(three.verdict.resolved).toBe(1)
  })

  it('that recurs is opened anew under its old fingerprint', async () => {
    await using fixture = await openFixture()
    fixture.set({ status: 'inactive' })
    const one = await fixture.audit({ policy: inactive })
    fixture.set({ status: 'active' })
    await fixture.audit()
    fixture.set({ status: 'inactive' })
    const three = await fixture.audit()
    const { started_at } = three.run
    expect(only(three)).toEqual({ ...only(one), first_seen: started_at, last_seen: started_at })
  })

  it('is unknown until a walk is complete again, over any number of runs', async () => {
    await using fixture = await openFixture(pagesOfTwo)
    fixture.set({ status: 'inactive' }, 5)
    const one = await fixture.audit()
    fixture.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset', times: Number.POSITIVE_INFINITY })
    const [two, three] = [await fixture.audit(), await fixture.audit()]
    fixture.mend()
    const four = await fixture.audit()
    const seen = [one, two, three, four].flatMap(({ violations }) =>
      violations.filter(({ rule }) => rule === 'endpoint/inactive'),
    )
    expect(seen.map(({ state, first_seen, last_seen }) => [state, first_seen, last_seen])).toEqual([
      ['opened', one.run.started_at, one.run.started_at],
      ['unknown', one.run.started_at, one.run.started_at],
      ['unknown', one.run.started_at, one.run.started_at],
      ['continuing', one.run.started_at, four.run.started_at],
    ])
    expect([two, three].map(({ verdict }) => [verdict.exit_code, verdict.unknown])).toEqual([
      [3, two.violations.filter(({ state }) => state === 'unknown').length],
      [3, two.violations.filter(({ state }) => state === 'unknown').length],
    ])
    // The second unknown run writes nothing more.
    expect(fixture.query('SELECT 1 FROM violation WHERE from_run = 3')).toEqual([])
  })

  it('ends as removed with a resource that only an incomplete walk had shown, also in a replay', async () => {
    await using fixture = await openFixture({ harness: { pageSize: 2 } })
    await fixture.audit({ policy: inactive })
    const place = { project: fixture.uidOf('payments'), uid: '' }
    const uid = createEndpoint(fixture.fleet, place.project, { name: 'new', url: 'https://new.example.com' })
    changeEndpoint(fixture.fleet, { ...place, uid }, (row) => ({ ...row, status: 'inactive' }))
    fixture.service.faults.push({ path: /endpoints/, page: 2, times: Number.POSITIVE_INFINITY, how: 'reset' })
    expect(only(await fixture.audit())).toMatchObject({ uid, state: 'opened' })
    fixture.mend()
    deleteEndpoint(fixture.fleet, { ...place, uid })
    const last = await fixture.audit()
    expect(last.drift).toEqual([])
    expect(only(last)).toMatchObject({ uid, state: 'resolved', resolution: 'removed' })
    const replayed = await fixture.replay(inactive)
    expect(replayed.ended.map(({ resolution }) => resolution)).toEqual(['removed'])
  })

  describe('that the policy no longer asks for', () => {
    const upTo = (seconds: number) =>
      policyOf(`extends: []\nrules: { endpoint/timeout-high: { max_seconds: ${seconds} } }`)
    const byPolicy = {
      state: 'resolved',
      resolution: 'policy',
      ended_by: { kind: 'rule_off', reason: 'the rule is on but requires less' },
    }

    it('is not fixed, also where the policy changed while it could not be checked', async () => {
      await using fixture = await openFixture(pagesOfTwo)
      fixture.set({ http_timeout: 90 }, 5)
      await fixture.audit({ policy: upTo(60) })
      fixture.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset' })
      expect(only(await fixture.audit({ policy: upTo(100) })).state).toBe('unknown')
      expect(only(await fixture.audit())).toMatchObject(byPolicy)
    })

    it('is not fixed, also where the rule asks since when, and something else changed', async () => {
      const upToHours = (hours: number) =>
        policyOf(`extends: []\nrules: { endpoint/paused-long: { max_hours: ${hours} } }`)
      await using fixture = await openFixture()
      fixture.set({ status: 'paused' })
      await fixture.audit({ policy: upToHours(24) })
      fixture.harness.advance(25 * 3_600_000)
      expect(only(await fixture.audit()).state).toBe('opened')
      fixture.set({ description: 'maintenance' })
      expect(only(await fixture.audit({ policy: upToHours(100) }))).toMatchObject(byPolicy)
    })

    it('is not fixed by a new name, for which an override asks for less', async () => {
      const policy = policyOf(`
extends: []
rules: { endpoint/timeout-high: { max_seconds: 60 } }
overrides: [{ match: { name: 'test-*' }, rules: { endpoint/timeout-high: { max_seconds: 100 } } }]
`)
      await using fixture = await openFixture()
      for (const index of [0, 1, 2]) fixture.set({ http_timeout: 90 }, index)
      await fixture.audit({ policy })
      fixture.set({ name: 'test-slow' }, 0)
      fixture.set({ name: 'slow', http_timeout: 30 }, 1)
      fixture.set({ http_timeout: 30 }, 2)
      const { violations } = await fixture.audit()
      const resolutionOf = (index: number) => violations.find(({ uid }) => uid === fixture.endpointAt(index).uid)
      expect(resolutionOf(0)).toMatchObject({ ...byPolicy, ended_by: { ...byPolicy.ended_by, kind: 'override' } })
      expect([1, 2].map((index) => resolutionOf(index)?.resolution)).toEqual(['fixed', 'fixed'])
      const replayed = await fixture.replay(policy)
      const endings = new Map(replayed.ended.map(({ uid, resolution }) => [uid, resolution]))
      expect([0, 1, 2].map((index) => endings.get(fixture.endpointAt(index).uid))).toEqual(['policy', 'fixed', 'fixed'])
    })

    it('of several resources is not fixed, unless one of these changed', async () => {
      const upTo = (seconds: number) =>
        policyOf(`
extends: []
custom:
  - { id: acme/slow, kind: subscription, assert: endpoint.http_timeout < ${seconds}, severity: high, message: too slow }
`)
      await using fixture = await openFixture()
      fixture.set({ http_timeout: 90 })
      await fixture.audit({ policy: upTo(60) })
      expect(only(await fixture.audit({ policy: upTo(100) }))).toMatchObject(byPolicy)
      await fixture.audit({ policy: upTo(60) })
      fixture.set({ http_timeout: 80 })
      expect(only(await fixture.audit({ policy: upTo(85) }))).toMatchObject({ state: 'resolved', resolution: 'fixed' })
    })

    it('of several resources is not fixed, also where the policy changed while it could not be checked', async () => {
      const upTo = (seconds: number) =>
        policyOf(`
extends: []
custom:
  - { id: acme/slow, kind: subscription, assert: endpoint.http_timeout < ${seconds}, severity: high, message: too slow }
`)
      await using fixture = await openFixture({ harness: { limits: { retries: 0 } } })
      const breakOff = () => fixture.service.failNext({ path: /\/subscriptions/, how: 'reset' })
      fixture.set({ http_timeout: 90 })
      await fixture.audit({ policy: upTo(60) })
      breakOff()
      expect(only(await fixture.audit({ policy: upTo(100) })).state).toBe('unknown')
      expect(only(await fixture.audit())).toMatchObject(byPolicy)
      await fixture.audit({ policy: upTo(60) })
      breakOff()
      fixture.set({ http_timeout: 80 })
      await fixture.audit({ policy: upTo(85) })
      expect(only(await fixture.audit())).toMatchObject({ state: 'resolved', resolution: 'fixed' })
    })

    it('is not fixed where more changes are allowed, but where there were fewer lately', async () => {
      const atLeast = (changes: number, more = '') =>
        policyOf(`extends: []\nrules: { drift/flapping: { min_changes: ${changes} }${more} }`)
      await using fixture = await openFixture()
      const flap = async (policy: ReturnType<typeof policyOf>) => {
        for (const description of ['a', 'b', 'c', 'd']) {
          fixture.set({ description })
          await fixture.audit({ policy })
        }
      }
      await flap(atLeast(3))
      expect(only(await fixture.audit({ policy: atLeast(9) }))).toMatchObject(byPolicy)
      await flap(atLeast(3))
      fixture.harness.advance(25 * 3_600_000)
      const calm = await fixture.audit({ policy: atLeast(3, ', endpoint/inactive: {}') })
      expect(only(calm)).toMatchObject({ state: 'resolved', resolution: 'fixed' })
    })
  })

  it('changes its severity with the policy without being reopened', async () => {
    await using fixture = await openFixture()
    fixture.set({ status: 'inactive' })
    const one = await fixture.audit({ policy: inactive })
    const two = await fixture.audit({ policy: policyOf('extends: []\nrules: { endpoint/inactive: low }') })
    const again = { ...only(one), state: 'continuing', last_seen: two.run.started_at }
    expect(only(two)).toEqual({ ...again, severity: 'low', severity_before: 'high' })
    expect([one, two].map(({ verdict }) => verdict.exit_code)).toEqual([1, 0])
    // The run before keeps what it said.
    expect(fixture.query('SELECT severity, from_run, to_run, first_run FROM violation ORDER BY id')).toEqual([
      { severity: 'high', from_run: 1, to_run: 2, first_run: 1 },
      { severity: 'low', from_run: 2, to_run: null, first_run: 1 },
    ])
  })

  it('stays the same in runs without changes, however much time passes', async () => {
    await using fixture = await openFleetFixture({
      fleet: { projects: 3, incomingEvery: 3, clean: false, endpointsPerProject: 30 },
    })
    const policy = policyOf('extends: [all]')
    const one = await fixture.audit({ policy })
    fixture.harness.advance(40 * 86_400_000)
    const two = await fixture.audit()
    const wording = ({ violations }: Report) =>
      violations
        .filter(({ state }) => state === 'opened' || state === 'continuing')
        .map(({ state: _, last_seen, ...said }) => said)
    const ripened = two.violations.filter(({ state }) => state === 'opened')
    const byTime = ['endpoint/secret-expired-active', 'endpoint/paused-long']
    expect(ripened.filter(({ rule }) => !byTime.includes(rule))).toEqual([])
    const opened = new Set(ripened.map(({ fingerprint }) => fingerprint))
    expect(wording(two).filter(({ fingerprint }) => !opened.has(fingerprint))).toEqual(wording(one))
    expect(new Set(wording(two).map(({ fingerprint }) => fingerprint)).size).toBe(wording(two).length)
    expect(new Set(wording(two).map(({ rule }) => rule)).size).toBeGreaterThan(10)
  })

  it('across resources needs complete walks: a subscription whose endpoint was not read has none', async () => {
    await using fixture = await openFixture(pagesOfTwo)
    fixture.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset' })
    const report = await fixture.audit()
    expect(report.violations).toEqual([])
    expect(report.verdict.exit_code).toBe(3)
  })

  it('across resources ends as removed with its resource, also where others could not be read', async () => {
    const policy = policyOf('extends: []\nrules: { endpoint/orphan: {} }')
    await using fixture = await openFixture({ harness: { limits: { retries: 0 } } })
    createEndpoint(fixture.fleet, fixture.uidOf('payments'), { name: 'new', url: 'https://new.example.com' })
    const { uid } = only(await fixture.audit({ policy }))
    deleteEndpoint(fixture.fleet, { project: fixture.uidOf('payments'), uid })
    fixture.service.failNext({ path: /\/subscriptions/, how: 'reset' })
    expect(only(await fixture.audit())).toMatchObject({ uid, state: 'resolved', resolution: 'removed' })
  })

  it('of a source is opened once for any number of subscriptions and listings that show it', async () => {
    await using fixture = await openFleetFixture({
      fleet: { incomingEvery: 1, endpointsPerProject: 6, sourcesPerProject: 2 },
      harness: { pageSize: 2 },
    })
    const { uid } = at(fixture.dataOf('partner-intake').sources, 0)
    updateSource(
      fixture.fleet,
      { project: fixture.uidOf('partner-intake'), uid },
      { verifier: null, is_disabled: true },
    )
    const report = await fixture.audit()
    expect(report.violations.map(({ rule, message }) => [rule, message])).toEqual([
      ['source/unverified', 'no verification: anyone who knows the URL can inject events'],
      ['source/disabled', 'disabled, but events sent to its URL are still accepted and delivered (3 subscriptions)'],
    ])
  })

  it('of a shared secret keeps its wording while one of its endpoints cannot be read', async () => {
    await using fixture = await openFleetFixture({
      fleet: { projects: 2, endpointsPerProject: 4 },
      harness: { limits: { retries: 0 } },
    })
    const value = 'whsec_not-a-real-key-in-three-places'
    const share = (name: string, index: number) => {
      const { uid } = at(fixture.dataOf(name).endpoints, index)
      changeEndpoint(fixture.fleet, { project: fixture.uidOf(name), uid }, (row) => ({
        ...row,
        owner_id: 'tenant-1',
        secrets: (row.secrets ?? []).map((secret) => ({ ...secret, value })),
      }))
    }
    share('payments', 0)
    share('payments', 1)
    share('orders', 0)
    const one = await fixture.audit()
    fixture.service.failNext({
      path: new RegExp(`${fixture.uidOf('orders')}/endpoints`),
      how: 'reset',
      times: Number.POSITIVE_INFINITY,
    })
    const two = await fixture.audit()
    fixture.mend()
    const three = await fixture.audit({ only: ['acme/payments'], failOn: 'high' })
    const shared = ({ violations }: Report) =>
      violations
        .filter(({ rule, project }) => rule === 'endpoint/secret-shared' && project === 'acme/payments')
        .map(({ severity, message }) => ({ severity, message }))
    const across = {
      severity: 'high',
      message: 'secret shared by 2 endpoints, and with endpoints in other projects',
    }
    expect(shared(one)).toEqual([across, across])
    expect(shared(two)).toEqual([across, across])
    // Coverage is complete and the scan is still partial: it must not pass as clean.
    expect(shared(three)).toEqual([across, across])
    expect(three.verdict.exit_code).toBe(1)
  })

  it('of a secret that projects share is not fixed when one of these leaves the configuration, also in a replay', async () => {
    const policy = policyOf('extends: []\nrules: { endpoint/secret-shared: {} }')
    await using fixture = await openFleetFixture({ fleet: { projects: 2, endpointsPerProject: 4 } })
    const valueIn = (name: string, value: string) => {
      const { uid } = at(fixture.dataOf(name).endpoints, 0)
      changeEndpoint(fixture.fleet, { project: fixture.uidOf(name), uid }, (row) => ({
        ...row,
        secrets: (row.secrets ?? []).map((secret) => ({ ...secret, value })),
      }))
    }
    for (const name of ['payments', 'orders']) valueIn(name, 'whsec_not-a-real-key-in-two-places')
    const both = { policy, list: { named: ['acme/orders', 'acme/payments'] } }
    const alone = { policy, list: { named: ['acme/payments'] }, configurationDigest: 'payments alone' }
    const first = await fixture.audit(both)
    const left = only(await fixture.audit(alone))
    const ending = { state: 'resolved', resolution: 'policy', project: 'acme/payments' }
    const reason = 'acme/orders, which it was compared with, is no longer scanned'
    expect(left).toMatchObject({ ...ending, ended_by: { kind: 'rule_off', reason } })
    const replayed = await fixture.replay(policy)
    expect(replayed.ended).toMatchObject([{ resolution: 'policy', ended_by: { reason } }])
    const back = await fixture.audit(both)
    expect([first, back].map(violationLines)).toEqual(
      [
        ['opened endpoint/secret-shared', 'opened endpoint/secret-shared'],
        ['continuing endpoint/secret-shared', 'opened endpoint/secret-shared'],
      ].map((lines) => lines.map((line) => expect.stringContaining(line))),
    )
    valueIn('payments', 'whsec_not-a-real-key-of-its-own')
    const mended = (await fixture.audit(both)).violations
    expect(mended.map(({ resolution }) => resolution)).toEqual(['fixed', 'fixed'])
  })
})
