import { describe, expect, it } from 'vitest'
import { changeData, deleteEndpoint } from '../../src/demo/edits.ts'
import type { InjectedFailure } from '../../src/demo/fault.ts'
import { recording } from '../demo/recordings.ts'
import {
  coverageLines,
  driftLines,
  type FleetFixture,
  type FleetFixtureOptions,
  openFleetFixture,
  violationLines,
  walkOf,
} from './fleet-fixture.ts'

const small: FleetFixtureOptions = {
  fleet: { endpointsPerProject: 10, subscriptionsPerProject: 1 },
  harness: { pageSize: 2, limits: { retries: 2 } },
}

const never = () => new AbortController().signal

/** Requests for page 3 run out of time soon; others never do, however busy the machine is. */
function onPage3({ requests }: FleetFixture['service']): () => AbortSignal {
  const asked = () => requests.filter(({ path }) => path.includes('/endpoints')).length
  const before = asked()
  return () => (asked() - before >= 2 && asked() - before < 5 ? AbortSignal.timeout(80) : never())
}

/**
 * Ten endpoints on five pages, audited once. Then page 1 is edited and something on page 5 deleted, the walk breaks
 * on page 3, and a complete walk follows.
 */
async function breakOff(fixture: FleetFixture, failure: InjectedFailure) {
  const { fleet, service } = fixture
  const [onPage1, editedOnPage1, onPage4, onPage5] = [0, 1, 7, 8].map((index) => fixture.endpointAt(index).uid)
  for (const index of [0, 7]) fixture.set({ status: 'inactive' }, index)
  const before = await fixture.audit({ timeoutAfter: never })
  fixture.set({ http_timeout: 45 }, 1)
  deleteEndpoint(fleet, fixture.endpointAt(8))
  service.failNext({ path: /\/endpoints/, page: 3, times: Number.POSITIVE_INFINITY, ...failure })
  const isSilent = failure.how === 'hang' || failure.how === 'stall-body'
  const broken = await fixture.audit({ timeoutAfter: isSilent ? onPage3(service) : never })
  const counts = fixture.rowCounts()
  service.faults.length = 0
  const after = await fixture.audit({ timeoutAfter: never })
  return { before, broken, after, counts, onPage1, editedOnPage1, onPage4, onPage5 }
}

/** The body of a list, changed. */
function list(change: (data: { content: Record<string, unknown>[]; pagination: Record<string, unknown> }) => unknown) {
  return (text: string) => {
    const envelope = JSON.parse(text)
    return JSON.stringify({ ...envelope, data: change(envelope.data) })
  }
}

const answered = String.raw`.* \((?:GET http:\S+, )?request id demo/simulated-\d+\)$`
const status = (status: number, more: object = {}): InjectedFailure => ({ how: 'status', status, ...more })
const text = { 'content-type': 'text/plain' }
const refused = { status: false, message: 'authorization failed' }
const contentOf = (change: (content: Record<string, unknown>[]) => unknown): InjectedFailure => ({
  how: 'rewrite',
  body: list((data) => ({ ...data, content: change(data.content) })),
})

/** What a page is, and how the report words it; with a text, the answer is named behind it. */
const breaks: readonly (readonly [name: string, InjectedFailure, RegExp | string])[] = [
  ['is reset', { how: 'reset' }, /^page 3: connection reset after 3 tries \(GET http:\S+\/endpoints\)$/],
  ['is cut', { how: 'cut-body' }, /^page 3: connection .* after 3 tries/],
  ['never comes', { how: 'hang' }, /^page 3: no whole answer within 30000 ms after 3 tries \(GET \S+\)$/],
  ['stops midway', { how: 'stall-body' }, /^page 3: no whole answer within 30000 ms after 3/],
  ['is a 500', status(500), '.*500'],
  ['is a 429', status(429, { headers: { 'retry-after': '2' } }), '.*429'],
  [
    'is a 401',
    status(401, { body: refused }),
    '.*401.* the same key was accepted before, so .*database is probably down',
  ],
  ['is a 403', status(403), '.*403'],
  ['is a 404', status(404, { body: '404 page not found', headers: text }), '.*404'],
  ['is a 503 without a body', status(503, { body: '' }), '.*503'],
  ["is a proxy's page", { how: 'html' }, '.*(html|JSON)'],
  ['is half JSON', { how: 'bad-json' }, '.*JSON'],
  ['leads to itself', { how: 'endless' }, '.*read before'],
  ['has another shape', { how: 'wrong-shape' }, '.*boolean'],
  ['repeats an item', contentOf(([one]) => [one, one]), 'item 2 was listed before in the same walk'],
  ['is empty and has a next one', contentOf(() => []), 'has_next_page is true on an empty page'],
  [
    'holds an item without a project',
    contentOf((items) => items.map(({ project_id: _, ...item }) => item)),
    'item 1 has no usable project_id',
  ],
  ['says that it failed', { how: 'rewrite', body: (text) => text.replace('"status":true', '"status":false') }, '.*'],
]

describe('a walk that breaks at the third page of five', () => {
  it.each(breaks)(
    '%s removes and resolves nothing, and the next run reports everything',
    async (_, failure, reason) => {
      await using fixture = await openFleetFixture(small)
      const { before, broken, after, counts, onPage1, editedOnPage1, onPage4, onPage5 } = await breakOff(
        fixture,
        failure,
      )

      expect(before.verdict.exit_code).toBe(1)
      expect(broken.verdict.exit_code).toBe(3)
      expect(walkOf(broken, 'endpoints')).toMatchObject({ status: 'partial', pages: 2, items: 4 })
      expect(walkOf(broken, 'endpoints')?.reason).toMatch(
        typeof reason === 'string' ? new RegExp(`^page 3: ${reason}${answered}`) : reason,
      )
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
    const foreign = contentOf((items) => items.map((item) => ({ ...item, project_id: 'another' })))
    const { before, broken, after, counts, editedOnPage1, onPage5 } = await breakOff(fixture, foreign)

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

describe('an outage of the recorded service', () => {
  const outages = recording('outages').filter(({ response }) => response.status >= 400)

  it.each(outages)('in the middle of a walk hides no change: $name', async ({ request, response }) => {
    await using fixture = await openFleetFixture(small)
    const { headers, ...answer } = response
    const body = { how: 'status', status: answer.status, body: answer.body, headers } as const
    const { broken, after, editedOnPage1, onPage4, onPage5 } = await breakOff(fixture, body)
    expect(request.method).toBe('GET')
    expect(broken.verdict.exit_code).toBe(3)
    expect(walkOf(broken, 'endpoints')).toMatchObject({ status: 'partial', pages: 2 })
    expect(walkOf(broken, 'endpoints')?.reason).toMatch(
      /^page 3: .*the service says ".+" \(GET http:.+, request id .+\)$/,
    )
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
    expect(walkOf(report, 'endpoints')).toMatchObject({
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
    expect(walkOf(report, 'endpoints')?.reason).toMatch(/^page 1: /)
    expect({ drift: report.drift, exit: report.verdict.exit_code }).toEqual({ drift: [], exit: 3 })
  })
})
