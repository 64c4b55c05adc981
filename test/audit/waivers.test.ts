import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { at, type FleetFixture, type FleetFixtureOptions, openFleetFixture, pagesOfTwo } from './fleet-fixture.ts'

const openFixture = (options: FleetFixtureOptions = {}) =>
  openFleetFixture({ fleet: { endpointsPerProject: 6 }, ...options })

const rules =
  'endpoint/inactive: {}, endpoint/timeout-high: {}, waiver/expiring: {}, waiver/expired: {}, waiver/unused: {}'

/** A policy of a few rules and these waivers, each in YAML. */
function policyWith(...waivers: string[]) {
  return policyOf(`extends: []\nrules: { ${rules} }\nwaivers:\n${waivers.map((waiver) => `  - ${waiver}\n`).join('')}`)
}

const bare = policyOf(`extends: []\nrules: { ${rules} }`)

/** For everything inactive. */
const inactive = (expires: string, more = '') =>
  `{ rule: endpoint/inactive, match: { kind: endpoint }, owner: payments team, reason: moves in spring, expires: ${expires}${more} }`

const lines = ({ violations }: Report) => violations.map(({ state, rule, project }) => `${state} ${rule} ${project}`)

const secondsBefore = (fixture: FleetFixture, time: string, seconds: number) =>
  // Each audit of the harness comes a minute after the one before.
  fixture.harness.advance(Date.parse(time) - fixture.harness.clock.now() - 60_000 - seconds * 1000)

describe('a waiver', () => {
  it('accepts a violation: the report shows who, why and until when, and the run does not fail', async () => {
    await using fixture = await openFixture()
    fixture.set({ status: 'inactive' })
    const policy = policyWith(inactive('2027-03-31', ', ticket: OPS-4711'))
    const { verdict, violations } = await fixture.audit({ policy })
    expect(violations).toEqual([
      expect.objectContaining({
        rule: 'endpoint/inactive',
        severity: 'high',
        state: 'waived',
        uid: fixture.endpointAt().uid,
        waiver: {
          owner: 'payments team',
          reason: 'moves in spring',
          expires: '2027-04-01T00:00:00.000Z',
          ticket: 'OPS-4711',
        },
      }),
    ])
    expect([verdict.exit_code, verdict.waived, verdict.violations.high]).toEqual([0, 1, 0])
    expect(fixture.query('SELECT state, waiver ->> ? AS owner FROM violation', '$.owner')).toEqual([
      { state: 'waived', owner: 'payments team' },
    ])
    // Nothing is written when nothing changes.
    await fixture.audit()
    expect(fixture.query('SELECT 1 FROM violation')).toHaveLength(1)
  })

  it('ends at the exact second in report, exit code and database, and its violation continues', async () => {
    await using fixture = await openFixture()
    fixture.set({ status: 'inactive' })
    const policy = policyWith(inactive('2026-11-30'))
    const first = await fixture.audit({ policy: bare })
    secondsBefore(fixture, '2026-12-01T00:00:00Z', 1)
    const last = await fixture.audit({ policy })
    secondsBefore(fixture, '2026-12-01T00:00:00Z', 0)
    const over = await fixture.audit()

    expect(last.run.started_at).toBe('2026-11-30T23:59:59.000Z')
    expect(lines(last)).toEqual(['waived endpoint/inactive acme/payments', 'opened waiver/expiring hookdrift/policy'])
    expect(over.run.started_at).toBe('2026-12-01T00:00:00.000Z')
    expect(lines(over)).toEqual([
      'continuing endpoint/inactive acme/payments',
      'opened waiver/expired hookdrift/policy',
      'resolved waiver/expiring hookdrift/policy',
    ])
    expect([last, over].map(({ verdict }) => [verdict.exit_code, verdict.waived])).toEqual([
      [0, 1],
      [1, 0],
    ])
    expect(at(over.violations, 0).first_seen).toBe(first.run.started_at)
    expect(at(over.violations, 0)).not.toHaveProperty('waiver')
    expect(
      fixture.query("SELECT state, waiver, from_run FROM violation WHERE rule = 'endpoint/inactive' ORDER BY id"),
    ).toEqual([
      { state: 'open', waiver: null, from_run: 1 },
      { state: 'waived', waiver: expect.stringContaining('"expires":"2026-12-01T00:00:00.000Z"'), from_run: 2 },
      { state: 'open', waiver: null, from_run: 3 },
    ])
  })

  it('keeps its record while its resource cannot be read', async () => {
    await using fixture = await openFixture(pagesOfTwo)
    fixture.set({ status: 'inactive' }, 5)
    const policy = policyWith(inactive('2027-03-31'))
    const one = await fixture.audit({ policy })
    fixture.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset', times: Number.POSITIVE_INFINITY })
    const two = await fixture.audit()
    fixture.mend()
    const three = await fixture.audit()
    expect([one, two, three].map(lines)).toEqual([
      ['waived endpoint/inactive acme/payments'],
      ['unknown endpoint/inactive acme/payments'],
      ['waived endpoint/inactive acme/payments'],
    ])
    expect(two.violations[0]?.waiver).toEqual(one.violations[0]?.waiver)
    expect(three.violations[0]?.first_seen).toBe(one.run.started_at)
  })

  it('accepts findings of rules across resources as well', async () => {
    await using fixture = await openFixture()
    const [first] = fixture.dataOf('payments').endpoints
    const secrets = first?.secrets ?? []
    fixture.set({ secrets }, 1)
    const { uid } = fixture.endpointAt(1)
    const policy = policyOf(`
extends: []
rules: { endpoint/secret-shared: {}, waiver/unused: {} }
waivers: [{ rule: endpoint/secret-*, match: { uid: ${uid} }, owner: o, reason: r, expires: 2027-03-31 }]
`)
    const { violations } = await fixture.audit({ policy })
    expect(new Map(violations.map(({ uid, state }) => [uid, state]))).toEqual(
      new Map([
        [fixture.endpointAt().uid, 'opened'],
        [uid, 'waived'],
      ]),
    )
  })
})

describe('rules about waivers', () => {
  it('open violations under the policy, next to all others, and resolve with a reason', async () => {
    await using fixture = await openFixture()
    const unused = policyWith(inactive('2027-03-31'))
    const [one, two] = [await fixture.audit({ policy: unused }), await fixture.audit()]
    expect(one.violations).toEqual([
      {
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
        rule: 'waiver/unused',
        severity: 'low',
        state: 'opened',
        project: 'hookdrift/policy',
        kind: 'policy',
        uid: expect.stringMatching(/^[0-9a-f]{16}$/),
        name: 'endpoint/inactive for kind endpoint',
        owner: null,
        path: '/used',
        message: 'no resource that it matches violates endpoint/inactive; owner payments team',
        first_seen: one.run.started_at,
        last_seen: one.run.started_at,
        due_at: null,
        resolution: null,
        ended_by: null,
      },
    ])
    expect(one.coverage.map(({ project }) => project)).not.toContain('hookdrift/policy')
    expect(fixture.query('SELECT DISTINCT project FROM run_coverage')).toEqual([{ project: 'acme/payments' }])
    expect(lines(two)).toEqual(['continuing waiver/unused hookdrift/policy'])

    const gone = await fixture.audit({ policy: bare })
    expect(lines(gone)).toEqual(['resolved waiver/unused hookdrift/policy'])
    expect(at(gone.violations, 0).last_seen).toBe(two.run.started_at)
    expect(lines(await fixture.audit())).toEqual([])
  })

  it('follow a renewed waiver: its end is resolved, its acceptance continues', async () => {
    await using fixture = await openFixture()
    fixture.set({ status: 'inactive' })
    const over = await fixture.audit({ policy: policyWith(inactive('2026-11-20')) })
    const renewed = await fixture.audit({ policy: policyWith(inactive('2027-03-31')) })
    expect([lines(over), lines(renewed)]).toEqual([
      ['opened endpoint/inactive acme/payments', 'opened waiver/expired hookdrift/policy'],
      ['waived endpoint/inactive acme/payments', 'resolved waiver/expired hookdrift/policy'],
    ])
  })

  it('are not fixed by the end of their waiver', async () => {
    await using fixture = await openFixture()
    const waiver = inactive('2026-11-20')
    secondsBefore(fixture, '2026-11-21T00:00:00Z', 120)
    const before = await fixture.audit({ policy: policyWith(waiver) })
    expect(lines(before)).toEqual(['opened waiver/expiring hookdrift/policy', 'opened waiver/unused hookdrift/policy'])
    secondsBefore(fixture, '2026-11-21T00:00:00Z', 0)
    const over = await fixture.audit()
    expect(lines(over)[0]).toBe('opened waiver/expired hookdrift/policy')
    const ended = over.violations.filter(({ state }) => state === 'resolved')
    expect(ended.map(({ rule, resolution, ended_by }) => [rule, resolution, ended_by?.kind, ended_by?.reason])).toEqual(
      [
        ['waiver/expiring', 'expired', 'expiry', 'the waiver was valid until the end of 2026-11-20'],
        ['waiver/unused', 'expired', 'expiry', 'the waiver was valid until the end of 2026-11-20'],
      ],
    )
  })

  it('are fixed when their waiver is renewed, also next to its former line', async () => {
    await using fixture = await openFixture()
    secondsBefore(fixture, '2026-11-21T00:00:00Z', 120)
    await fixture.audit({ policy: policyWith(inactive('2026-11-20')) })
    const renewed = policyWith(inactive('2026-11-20'), inactive('2027-03-31'))
    secondsBefore(fixture, '2026-11-21T00:00:00Z', 0)
    const { violations } = await fixture.audit({ policy: renewed })
    expect(violations.map(({ rule, state, resolution }) => [rule, state, resolution])).toEqual([
      ['waiver/unused', 'continuing', null],
      ['waiver/expiring', 'resolved', 'fixed'],
    ])
  })

  it('say of equal waivers what is so of the last to end', async () => {
    await using fixture = await openFixture()
    fixture.set({ status: 'inactive' })
    const lasting = inactive('2027-03-31')
    for (const other of [inactive('2026-11-20'), inactive('2026-11-25')]) {
      const orders = [policyWith(other, lasting), policyWith(lasting, other)]
      for (const policy of orders) {
        expect(lines(await fixture.audit({ policy }))).toEqual(['waived endpoint/inactive acme/payments'])
      }
    }
  })

  it('call no waiver unused that an unread resource may need', async () => {
    await using fixture = await openFixture({
      fleet: { endpointsPerProject: 6, projects: 2 },
      ...pagesOfTwo,
    })
    const policy = policyWith(inactive('2027-03-31'))
    const some = await fixture.audit({ policy, only: ['acme/payments'] })
    fixture.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset', times: 1 })
    const broken = await fixture.audit()
    const whole = await fixture.audit()
    const again = await fixture.audit({ only: ['acme/payments'] })
    expect([some, broken, whole, again].map(lines)).toEqual([
      [],
      [],
      ['opened waiver/unused hookdrift/policy'],
      ['unknown waiver/unused hookdrift/policy'],
    ])
  })

  it('depend only on what the waiver can match, not on gaps elsewhere', async () => {
    await using fixture = await openFixture({
      fleet: { endpointsPerProject: 6, projects: 2 },
      ...pagesOfTwo,
    })
    const [one = '', other = ''] = fixture.fleet.projects().map(({ name }) => name)
    const policy = policyWith(
      `{ rule: endpoint/inactive, match: { project: acme/${one} }, owner: o, reason: r, expires: 2027-03-31 }`,
      `{ rule: endpoint/inactive, match: { project: acme/${other} }, owner: o, reason: r, expires: 2027-03-31 }`,
    )
    const path = new RegExp(`${fixture.uidOf(other)}/endpoints`)
    fixture.service.failNext({ path, page: 2, how: 'reset', times: 1 })
    const { violations } = await fixture.audit({ policy })
    expect(violations.map(({ name }) => name)).toEqual([`endpoint/inactive for project acme/${one}`])
  })

  it('obey the policy like any other rule', async () => {
    await using fixture = await openFixture()
    const policy = policyOf(`
extends: []
rules: { endpoint/inactive: {}, waiver/unused: critical }
waivers: [${inactive('2027-03-31')}]
`)
    const { violations, verdict } = await fixture.audit({ policy })
    expect(violations.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(['critical waiver/unused'])
    expect(verdict.exit_code).toBe(1)
  })
})
