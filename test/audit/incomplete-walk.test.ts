import { describe, expect, it } from 'vitest'
import { changeData, changeEndpoint, createEndpoint, deleteEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import type { InjectedFailure } from '../../src/demo/fault.ts'
import type { Report } from '../../src/model/report.ts'
import { recording } from '../demo/recordings.ts'
import {
  at,
  coverageLines,
  driftLines,
  type FleetFixture,
  type FleetFixtureOptions,
  openFleetFixture,
  violationLines,
} from './fleet-fixture.ts'

/** The body of a list, changed. */
function list(change: (data: { content: Record<string, unknown>[]; pagination: Record<string, unknown> }) => unknown) {
  return (text: string) => {
    const envelope = JSON.parse(text)
    return JSON.stringify({ ...envelope, data: change(envelope.data) })
  }
}

interface Break {
  readonly name: string
  readonly failure: InjectedFailure
  /** How the report words it. */
  readonly reason: RegExp
}

const answered = String.raw`.* \(request id demo/simulated-\d+\)$`
const breaks: readonly Break[] = [
  { name: 'is reset', failure: { how: 'reset' }, reason: /^page 3: connection reset after 3 tries$/ },
  { name: 'is cut', failure: { how: 'cut-body' }, reason: /^page 3: connection .* after 3 tries/ },
  { name: 'never comes', failure: { how: 'hang' }, reason: /^page 3: no whole answer within 80 ms after 3 tries$/ },
  { name: 'stops midway', failure: { how: 'stall-body' }, reason: /^page 3: no whole answer within 80 ms after 3/ },
  { name: 'is a 500', failure: { how: 'status', status: 500 }, reason: new RegExp(`^page 3: .*500${answered}`) },
  {
    name: 'is a 429',
    failure: { how: 'status', status: 429, headers: { 'retry-after': '2' } },
    reason: new RegExp(`^page 3: .*429${answered}`),
  },
  {
    name: 'is a 401',
    failure: { how: 'status', status: 401, body: { status: false, message: 'authorization failed' } },
    reason: new RegExp(`^page 3: .*401.* the same key was accepted before, so .*database is probably down${answered}`),
  },
  { name: 'is a 403', failure: { how: 'status', status: 403 }, reason: new RegExp(`^page 3: .*403${answered}`) },
  {
    name: 'is a 404',
    failure: { how: 'status', status: 404, body: '404 page not found', headers: { 'content-type': 'text/plain' } },
    reason: new RegExp(`^page 3: .*404${answered}`),
  },
  {
    name: 'is a 503 without a body',
    failure: { how: 'status', status: 503, body: '' },
    reason: new RegExp(`^page 3: .*503${answered}`),
  },
  { name: "is a proxy's page", failure: { how: 'html' }, reason: new RegExp(`^page 3: .*(html|JSON)${answered}`) },
  { name: 'is half JSON', failure: { how: 'bad-json' }, reason: new RegExp(`^page 3: .*JSON${answered}`) },
  { name: 'leads to itself', failure: { how: 'endless' }, reason: new RegExp(`^page 3: .*read before${answered}`) },
  { name: 'has another shape', failure: { how: 'wrong-shape' }, reason: new RegExp(`^page 3: .*boolean${answered}`) },
  {
    name: 'repeats an item',
    failure: { how: 'rewrite', body: list((data) => ({ ...data, content: [data.content[0], data.content[0]] })) },
    reason: new RegExp(`^page 3: item 2 was listed before in the same walk${answered}`),
  },
  {
    name: 'is empty and has a next one',
    failure: { how: 'rewrite', body: list((data) => ({ ...data, content: [] })) },
    reason: new RegExp(`^page 3: has_next_page is true on an empty page${answered}`),
  },
  {
    name: 'holds an item without a project',
    failure: {
      how: 'rewrite',
      body: list((data) => ({ ...data, content: data.content.map(({ project_id: _, ...item }) => item) })),
    },
    reason: new RegExp(`^page 3: item 1 has no project_id${answered}`),
  },
  {
    name: 'says that it failed',
    failure: { how: 'rewrite', body: (text) => text.replace('"status":true', '"status":false') },
    reason: new RegExp(`^page 3: .*${answered}`),
  },
]

const small: FleetFixtureOptions = {
  fleet: { endpointsPerProject: 10, subscriptionsPerProject: 1 },
  harness: { pageSize: 2, limits: { pageTimeoutMs: 80, retries: 2 } },
}

const never = () => new AbortController().signal

/** Only what asks for page 3 runs out of time: no other request does on a busy machine. */
function onPage3({ requests }: FleetFixture['service']): (ms: number) => AbortSignal {
  const asked = () => requests.filter(({ path }) => path.includes('/endpoints')).length
  const before = asked()
  return (ms) => (asked() - before >= 2 && asked() - before < 5 ? AbortSignal.timeout(ms) : never())
}

/**
 * Ten endpoints on five pages, audited once. Then page 1 is edited and something on page 5 deleted, the walk breaks
 * on page 3, and a complete walk follows.
 */
async function breakOff(fixture: FleetFixture, failure: InjectedFailure) {
  const { fleet, service, uidOf, dataOf } = fixture
  const project = uidOf('payments')
  const uids = dataOf('payments').endpoints.map(({ uid }) => uid)
  const [onPage1, editedOnPage1, onPage4, onPage5] = [0, 1, 7, 8].map((index) => at(uids, index))
  for (const uid of [onPage1, onPage4]) setEndpointStatus(fleet, { project, uid: uid ?? '' }, 'inactive')
  const before = await fixture.audit({ timeoutAfter: never })
  changeEndpoint(fleet, { project, uid: editedOnPage1 ?? '' }, (row) => ({ ...row, http_timeout: 45 }))
  deleteEndpoint(fleet, { project, uid: onPage5 ?? '' })
  service.failNext({ path: /\/endpoints/, page: 3, times: Number.POSITIVE_INFINITY, ...failure })
  const broken = await fixture.audit({ timeoutAfter: onPage3(service) })
  const counts = fixture.rowCounts()
  service.faults.length = 0
  const after = await fixture.audit({ timeoutAfter: never })
  return { before, broken, after, counts, onPage1, editedOnPage1, onPage4, onPage5 }
}

function endpointsOf({ coverage }: Report) {
  return coverage.find(({ listing }) => listing === 'endpoints')
}

describe('a walk that breaks at the third page of five', () => {
  it.each(breaks)(
    '$name removes and resolves nothing, and the next run reports everything',
    async ({ failure, reason }) => {
      await using fixture = await openFleetFixture(small)
      const { before, broken, after, counts, onPage1, editedOnPage1, onPage4, onPage5 } = await breakOff(
        fixture,
        failure,
      )

      expect(before.verdict.exit_code).toBe(1)
      expect(broken.verdict.exit_code).toBe(3)
      expect(endpointsOf(broken)).toMatchObject({ status: 'partial', pages: 2, items: 4 })
      expect(endpointsOf(broken)?.reason).toMatch(reason)
      expect(broken.coverage.filter(({ listing }) => listing !== 'endpoints').map(({ status }) => status)).toEqual([
        'complete',
        'complete',
        'complete',
      ])
      expect(driftLines(broken)).toEqual([expect.stringContaining(`modified endpoint ${editedOnPage1} /http_timeout`)])
      expect(violationLines(broken)).toEqual([
        `continuing endpoint/inactive ${onPage1}`,
        `unknown endpoint/inactive ${onPage4}`,
      ])
      expect(broken.violations.find(({ uid }) => uid === onPage4)).toMatchObject({
        first_seen: before.run.started_at,
        last_seen: before.run.started_at,
      })
      // The edited endpoint is a new version, and the unknown violation a new row: nothing else.
      expect(counts).toMatchObject({ version: 12 + 1, violation: 3, change: 1, notice: 0, unreferenced: 0 })

      expect(coverageLines(after).filter((line) => !line.endsWith(' complete'))).toEqual([])
      expect(driftLines(after).sort()).toEqual([...driftLines(broken), `removed endpoint ${onPage5}`])
      expect(violationLines(after)).toEqual(
        [`continuing endpoint/inactive ${onPage1}`, `continuing endpoint/inactive ${onPage4}`].sort(),
      )
      expect(after.violations.map(({ first_seen, last_seen }) => ({ first_seen, last_seen }))).toEqual([
        { first_seen: before.run.started_at, last_seen: after.run.started_at },
        { first_seen: before.run.started_at, last_seen: after.run.started_at },
      ])
      expect(after.verdict.exit_code).toBe(1)

      const next = await fixture.audit()
      expect(next.drift).toEqual([])
    },
  )

  it('with an item of another project fails the whole project, including earlier pages', async () => {
    await using fixture = await openFleetFixture(small)
    const foreign = list((data) => ({
      ...data,
      content: data.content.map((item) => ({ ...item, project_id: 'another' })),
    }))
    const { before, broken, after, counts, editedOnPage1, onPage5 } = await breakOff(fixture, {
      how: 'rewrite',
      body: foreign,
    })

    expect(broken.verdict.exit_code).toBe(3)
    expect(coverageLines(broken)).toEqual([
      'payments/project failed',
      'payments/endpoints failed',
      'payments/sources failed',
      'payments/subscriptions failed',
    ])
    for (const { reason } of broken.coverage) expect(reason).toMatch(/^page 3: item 1 belongs to another project/)
    expect(broken.drift).toEqual([])
    expect(broken.violations.map(({ state }) => state)).toEqual(['unknown', 'unknown'])
    expect(broken.violations.map(({ last_seen }) => last_seen)).toEqual([before.run.started_at, before.run.started_at])
    expect(counts).toMatchObject({ version: 12, change: 0 })
    expect(driftLines(after).sort()).toEqual([
      expect.stringContaining(`modified endpoint ${editedOnPage1} /http_timeout`),
      `removed endpoint ${onPage5}`,
    ])
    expect(after.violations.map(({ state }) => state)).toEqual(['continuing', 'continuing'])
  })
})

describe('an outage of the recorded service', () => {
  const outages = recording('outages').filter(({ response }) => response.status >= 400)

  it.each(outages)('in the middle of a walk hides no change: $name', async ({ request, response }) => {
    await using fixture = await openFleetFixture(small)
    const { headers, ...answer } = response
    const body = { how: 'status', status: answer.status, body: answer.body, headers } as const
    const { broken, after, editedOnPage1, onPage4, onPage5 } = await breakOff(fixture, body)
    expect(request.method).toBe('GET')
    expect(broken.verdict.exit_code).toBe(3)
    expect(endpointsOf(broken)).toMatchObject({ status: 'partial', pages: 2 })
    expect(endpointsOf(broken)?.reason).toMatch(/^page 3: .*the service says ".+" \(request id .+\)$/)
    expect(driftLines(broken)).toEqual([expect.stringContaining(`modified endpoint ${editedOnPage1}`)])
    expect(violationLines(broken)).toContain(`unknown endpoint/inactive ${onPage4}`)
    expect(driftLines(after)).toContain(`removed endpoint ${onPage5}`)
    expect(driftLines(after)).toHaveLength(2)
  })

  it.each(outages)('within the retries leaves a complete walk: $name', async ({ response }) => {
    await using fixture = await openFleetFixture(small)
    const { status, body, headers } = response
    fixture.service.failNext({ how: 'status', status, body, headers, path: /\/endpoints/, page: 3, times: 2 })
    const report = await fixture.audit({ timeoutAfter: never })
    expect(report.verdict.exit_code).toBe(0)
    expect(endpointsOf(report)).toMatchObject({
      status: 'complete',
      reason: null,
      pages: 5,
      items: 10,
      requests: 7,
      retries: 2,
    })
  })

  it('of the database during a run is reported as such, and the next run is complete', async () => {
    await using fixture = await openFleetFixture({ ...small, fleet: { ...small.fleet, projects: 2, incomingEvery: 0 } })
    await fixture.audit()
    fixture.service.behaviour.outage = 'database-down'
    const during = await fixture.audit()
    fixture.service.behaviour.outage = null
    const after = await fixture.audit()
    expect(during.coverage.map(({ status }) => status)).toEqual(during.coverage.map(() => 'failed'))
    expect(during.coverage[0]?.reason).toMatch(/database is down/)
    expect({ drift: during.drift, exit: during.verdict.exit_code }).toEqual({ drift: [], exit: 3 })
    expect({ drift: after.drift, exit: after.verdict.exit_code }).toEqual({ drift: [], exit: 0 })
  })

  it('at the first page leaves a failed walk', async () => {
    await using fixture = await openFleetFixture(small)
    await fixture.audit()
    fixture.service.failNext({ how: 'status', status: 500, path: /\/endpoints/, times: Number.POSITIVE_INFINITY })
    const report = await fixture.audit()
    expect(coverageLines(report)).toEqual([
      'payments/project complete',
      'payments/endpoints failed',
      'payments/sources complete',
      'payments/subscriptions complete',
    ])
    expect(endpointsOf(report)?.reason).toMatch(/^page 1: /)
    expect({ drift: report.drift, exit: report.verdict.exit_code }).toEqual({ drift: [], exit: 3 })
  })
})

describe('an incomplete walk of subscriptions or sources', () => {
  const incoming: FleetFixtureOptions = {
    fleet: { incomingEvery: 1, endpointsPerProject: 6, sourcesPerProject: 6 },
    harness: { pageSize: 2, limits: { retries: 0 } },
  }

  it('keeps the sources that unread subscriptions carry, where sources are not listed', async () => {
    await using fixture = await openFleetFixture({ ...incoming, service: {} })
    fixture.service.behaviour.offers.sources = false
    const before = await fixture.audit()
    fixture.service.failNext({ how: 'reset', path: /\/subscriptions/, page: 2, times: 9 })
    const broken = await fixture.audit()
    fixture.service.faults.length = 0
    const after = await fixture.audit()
    expect(before.coverage.map(({ status }) => status)).toEqual(['complete', 'complete', 'skipped', 'complete'])
    expect(broken.coverage.map(({ status }) => status)).toEqual(['complete', 'complete', 'skipped', 'partial'])
    expect([before, broken, after].map(({ drift, notices }) => [drift, notices])).toEqual([
      [[], []],
      [[], []],
      [[], []],
    ])
    expect(fixture.query("SELECT uid FROM current_resource WHERE kind = 'source'")).toHaveLength(6)
  })

  it('differs from sources that are not offered: a 404 for the second page', async () => {
    const headers = { 'content-type': 'text/plain' }
    const failure = { how: 'status', status: 404, body: 'not found', headers } as const
    await using fixture = await openFleetFixture(incoming)
    // Unused, so that the list is the only place that shows them.
    changeData(fixture.fleet, fixture.uidOf('partner-intake'), (data) => ({ ...data, subscriptions: [] }))
    await fixture.audit()
    fixture.service.failNext({ path: /\/sources/, page: 2, times: 9, ...failure })
    const broken = await fixture.audit()
    expect(coverageLines(broken)).toContain('partner-intake/sources partial')
    expect(broken.verdict.exit_code).toBe(3)
    expect([broken.drift, broken.notices]).toEqual([[], []])
  })

  it('keeps a source whose page was not read', async () => {
    await using fixture = await openFleetFixture(incoming)
    const project = fixture.uidOf('partner-intake')
    const [gone] = fixture.dataOf('partner-intake').sources.slice(-1)
    await fixture.audit()
    changeData(fixture.fleet, project, (data) => ({
      ...data,
      sources: data.sources.slice(0, -1),
      subscriptions: data.subscriptions.filter(({ source_id }) => source_id !== gone?.uid),
    }))
    fixture.service.failNext({ how: 'reset', path: /\/sources/, page: 2, times: 9 })
    const broken = await fixture.audit()
    fixture.service.faults.length = 0
    const after = await fixture.audit()
    expect(driftLines(broken)).toEqual([expect.stringMatching(/^removed subscription /)])
    expect(driftLines(after)).toEqual([`removed source ${gone?.uid}`])
  })
})

describe('a project key', () => {
  const two: FleetFixtureOptions = {
    fleet: { projects: 2, endpointsPerProject: 4, clean: false },
    harness: { pageSize: 2, limits: { retries: 1 } },
  }

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
    expect(coverageLines(report)).toEqual([
      'orders/project failed',
      'orders/endpoints failed',
      'orders/sources failed',
      'orders/subscriptions failed',
      project ? 'payments/project complete' : 'payments/project skipped',
      'payments/endpoints complete',
      'payments/sources complete',
      'payments/subscriptions complete',
    ])
    expect(await rowsOf(fixture, 'orders')).toEqual({ version: 0, violation: 0, change: 0 })
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

  it('that is refused fails every listing of the project and names possible causes', async () => {
    await using fixture = await openFleetFixture(two)
    await fixture.audit()
    const report = await fixture.audit({ keys: { orders: 'CO.not-a-real-key' } })
    const orders = report.coverage.filter(({ project }) => project === 'acme/orders')
    expect(orders.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed'])
    expect(orders[0]?.reason).toMatch(/401.*the key is wrong, expired or revoked, or the service's database is down/)
    expect(JSON.stringify(report)).not.toContain('CO.not-a-real-key')
    expect({ drift: report.drift, exit: report.verdict.exit_code }).toEqual({ drift: [], exit: 3 })
  })

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
    expect(coverageLines(report)).toEqual([
      'orders/project failed',
      'orders/endpoints failed',
      'orders/sources failed',
      'orders/subscriptions failed',
      'payments/project complete',
      'payments/endpoints complete',
      'payments/sources complete',
      'payments/subscriptions complete',
    ])
    expect({ drift: report.drift, exit: report.verdict.exit_code }).toEqual({ drift: [], exit: 3 })
  })

  it('of an empty project is proven by the project itself', async () => {
    await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 0, subscriptionsPerProject: 0 } })
    const empty = await fixture.audit()
    expect(coverageLines(empty)).toEqual([
      'payments/project complete',
      'payments/endpoints complete',
      'payments/sources complete',
      'payments/subscriptions complete',
    ])
    const uid = createEndpoint(fixture.fleet, fixture.uidOf('payments'), { name: 'first', url: 'https://a.example/in' })
    expect(driftLines(await fixture.audit())).toEqual([`added endpoint ${uid}`])
  })
})
