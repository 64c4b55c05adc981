import { describe, expect, it } from 'vitest'
import { createEndpoint } from '../../src/demo/edits.ts'
import type { Report } from '../../src/model/report.ts'
import {
  coverageLines,
  driftLines,
  type FleetFixture,
  type FleetFixtureOptions,
  openFleetFixture,
} from './fleet-fixture.ts'

describe('a project key', () => {
  const two: FleetFixtureOptions = {
    fleet: { projects: 2, endpointsPerProject: 4, clean: false },
    harness: { pageSize: 2, limits: { retries: 1 } },
  }

  /** Of all listings of a project. */
  const walks = (project: string, status: string) =>
    ['project', 'endpoints', 'sources', 'subscriptions'].map((listing) => `${project}/${listing} ${status}`)

  async function rowsOf(fixture: FleetFixture, name: string) {
    const uid = fixture.uidOf(name)
    const count = (table: string) =>
      fixture.query<{ n: number }>(
        `SELECT count(*) n FROM ${table} x JOIN project p ON p.id = x.project_id WHERE p.uid = ?`,
        uid,
      )[0]?.n
    return { version: count('version'), violation: count('violation'), change: count('change') }
  }

  it.each([
    ['where the service shows projects', { project: true }],
    ['where only the items name the project', { project: false }],
  ])('of another project fails its project alone and stores nothing, %s', async (_, { project }) => {
    await using fixture = await openFleetFixture(two)
    fixture.service.behaviour.offers.project = project
    const foreign = fixture.fleet.project(fixture.uidOf('payments'))?.key ?? ''
    const report = await fixture.audit({ keys: { orders: foreign } })
    expect(report.verdict.exit_code).toBe(3)
    const [ofProject = '', ...others] = walks('payments', 'complete')
    expect(coverageLines(report)).toEqual([
      ...walks('orders', 'failed'),
      ...[project ? ofProject : 'payments/project skipped', ...others],
    ])
    expect(await rowsOf(fixture, 'orders')).toEqual({ version: 0, violation: 0, change: 0 })
    // What was not asked for any longer is not off.
    const off = report.gaps.filter(({ cause, listing }) => cause === 'listing_off' && listing === 'project')
    expect(off).toEqual([])
    expect(report.violations.filter(({ project: name }) => name === 'acme/orders')).toEqual([])

    const right = await fixture.audit()
    const payments = ({ violations }: Report) =>
      violations
        .filter(({ project: name, rule }) => name === 'acme/payments' && rule !== 'endpoint/secret-shared')
        .map(({ fingerprint, message, severity }) => ({ fingerprint, message, severity }))
    expect(payments(right)).toEqual(payments(report))
    expect(right.drift).toEqual([])
    expect((await rowsOf(fixture, 'orders')).version).toBeGreaterThan(4)
  })

  it('of another project leaves what was known unchanged', async () => {
    await using fixture = await openFleetFixture(two)
    const first = await fixture.audit()
    const rows = await rowsOf(fixture, 'orders')
    const broken = await fixture.audit({
      keys: { orders: fixture.fleet.project(fixture.uidOf('payments'))?.key ?? '' },
    })
    const after = await fixture.audit()
    const ofOrders = ({ violations }: Report) => violations.filter(({ project }) => project === 'acme/orders')
    expect(ofOrders(first).length).toBeGreaterThan(0)
    expect(ofOrders(broken).map(({ state, last_seen }) => ({ state, last_seen }))).toEqual(
      ofOrders(first).map(() => ({ state: 'unknown', last_seen: first.run.started_at })),
    )
    expect(ofOrders(after).map(({ state, fingerprint }) => [state, fingerprint])).toEqual(
      ofOrders(first).map(({ fingerprint }) => ['continuing', fingerprint]),
    )
    expect((await rowsOf(fixture, 'orders')).version).toBe(rows.version)
    expect([broken, after].map(({ drift }) => drift)).toEqual([[], []])
  })

  it.each([['auto' as const], ['off' as const]])(
    'of another, empty project removes nothing, with the project listing %s',
    async (listing) => {
      await using fixture = await openFleetFixture({
        ...two,
        harness: { ...two.harness, listings: { project: listing } },
      })
      fixture.fleet.replace(fixture.uidOf('orders'), { data: { endpoints: [], subscriptions: [], sources: [] } })
      const before = await fixture.audit()
      const report = await fixture.audit({
        keys: { payments: fixture.fleet.project(fixture.uidOf('orders'))?.key ?? '' },
      })
      expect(before.coverage.filter(({ status }) => status !== 'complete')).toEqual([])
      expect(report.verdict.exit_code).toBe(3)
      expect(coverageLines(report).filter((line) => line.startsWith('payments/') && !line.endsWith('failed'))).toEqual(
        [],
      )
      expect(report.coverage.find(({ project }) => project === 'acme/payments')?.reason).toMatch(/another project/)
      expect(report.drift).toEqual([])
      expect(fixture.query("SELECT 1 FROM current_resource WHERE kind = 'endpoint'")).toHaveLength(4)
    },
  )

  it.each(['is not there', 'may not be seen'])('for a project that %s fails that project alone', async (how) => {
    await using fixture = await openFleetFixture(two)
    await fixture.audit()
    if (how === 'may not be seen') fixture.service.behaviour.closedProjects.add(fixture.uidOf('orders'))
    else {
      const body = { status: false, message: 'project not found' }
      const path = new RegExp(fixture.uidOf('orders'))
      fixture.service.failNext({ path, times: Number.POSITIVE_INFINITY, how: 'status', status: 400, body })
    }
    const report = await fixture.audit()
    expect(coverageLines(report)).toEqual([...walks('orders', 'failed'), ...walks('payments', 'complete')])
    expect({ drift: report.drift, exit: report.verdict.exit_code }).toEqual({ drift: [], exit: 3 })
  })

  it('of an empty project is proven by the project itself', async () => {
    await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 0, subscriptionsPerProject: 0 } })
    const empty = await fixture.audit()
    expect(coverageLines(empty)).toEqual(walks('payments', 'complete'))
    const uid = createEndpoint(fixture.fleet, fixture.uidOf('payments'), { name: 'first', url: 'https://a.example/in' })
    expect(driftLines(await fixture.audit())).toEqual([`added endpoint ${uid}`])
  })
})
