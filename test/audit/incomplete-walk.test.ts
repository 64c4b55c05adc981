import { describe, expect, it } from 'vitest'
import { changeData } from '../../src/demo/edits.ts'
import type { InjectedFailure } from '../../src/demo/fault.ts'
import {
  coverageLines,
  driftLines,
  type FleetFixtureOptions,
  openFleetFixture,
  violationLines,
} from './fleet-fixture.ts'
import { breakOff, endpointsOf, small } from './incomplete-walk-fixture.ts'

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

const answered = String.raw`.* \((?:GET http:\S+, )?request id demo/simulated-\d+\)$`
const breaks: readonly Break[] = [
  {
    name: 'is reset',
    failure: { how: 'reset' },
    reason: /^page 3: connection reset after 3 tries \(GET http:\S+\/endpoints\)$/,
  },
  { name: 'is cut', failure: { how: 'cut-body' }, reason: /^page 3: connection .* after 3 tries/ },
  {
    name: 'never comes',
    failure: { how: 'hang' },
    reason: /^page 3: no whole answer within 30000 ms after 3 tries \(GET \S+\)$/,
  },
  { name: 'stops midway', failure: { how: 'stall-body' }, reason: /^page 3: no whole answer within 30000 ms after 3/ },
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
