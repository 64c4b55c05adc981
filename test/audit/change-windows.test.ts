import { describe, expect, it } from 'vitest'
import { composeReport } from '../../src/audit/compose-report.ts'
import { changeData, createEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import type { Report } from '../../src/model/report.ts'
import { hourMs } from '../../src/model/time.ts'
import type { Policy } from '../../src/policy/policy.ts'
import type { Compliance } from '../../src/report/compliance/compliance.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { assessRun, gatherCompliance } from '../../src/report/compliance/gather-compliance.ts'
import { complianceReports } from '../../src/report/compliance-reports.ts'
import { formats } from '../../src/report/formats.ts'
import { replayRuns } from '../replay/replay-runs.ts'
import { policyOf } from './audit-harness.ts'
import { openFleetFixture } from './fleet-fixture.ts'

const soc2 = builtInFramework('soc2')
const minuteMs = hourMs / 60
const nightly = '{ name: nightly, cron: "0 22 * * *", duration: 2h, ticket: CHG-4711 }'
const withWindows = (windows: string, rules = '{ drift/outside-window: {}, drift/url-host-changed: {} }') =>
  policyOf(`extends: []\nrules: ${rules}\nwindows: [${windows}]\n`)

/** Four endpoints without subscriptions, audited once at a time; each later audit begins a minute after its time. */
async function openFixture(startsAt: string, policy: Policy, projects = 1) {
  const fixture = await openFleetFixture({ fleet: { endpointsPerProject: 4, projects }, harness: { startsAt } })
  changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
  fixture.set({ url: 'https://one.example.com/in' })
  await fixture.audit({ policy })
  return {
    ...fixture,
    /** The next run, so long after the one before. */
    next(ms: number, options: Parameters<typeof fixture.audit>[0] = {}): Promise<Report> {
      fixture.harness.advance(ms - minuteMs)
      return fixture.audit({ policy, ...options })
    },
  }
}

const elsewhere = { url: 'https://two.example.com/in' }
const windowsOf = ({ drift }: Report) => drift.map(({ window }) => window)
const linesOf = ({ violations }: Report) =>
  violations.map(({ rule, state, resolution, message }) => `${resolution ?? state} ${rule}: ${message}`).sort()
const outsideIn = (report: Report) => linesOf(report).filter((line) => line.includes('drift/outside-window'))

describe('a change', () => {
  // The run before begins at 20:01, the one that finds the change at the time given.
  it.each([
    { found: '21:59', after: 118, window: null },
    { found: '22:00', after: 119, window: 'nightly' },
    { found: '22:31', after: 150, window: 'nightly' },
    { found: '02:01 of the next day', after: 360, window: 'nightly' },
  ])('that a run finds at $found may have been made in the window $window', async ({ after, window }) => {
    await using fixture = await openFixture('2026-11-26T20:00:00Z', withWindows(nightly))
    fixture.set(elsewhere)
    const report = await fixture.next(after * minuteMs)
    expect(windowsOf(report)).toEqual([window])
    expect(outsideIn(report)).toHaveLength(window === null ? 1 : 0)
    expect(report.projects[0]?.windows).toEqual(
      window === null
        ? undefined
        : [
            {
              name: 'nightly',
              ticket: 'CHG-4711',
              from: '2026-11-26T22:00:00.000Z',
              to: '2026-11-27T00:00:00.000Z',
            },
          ],
    )
  })

  it.each([
    { startsAt: '2026-11-26T23:58:00Z', window: 'nightly' },
    { startsAt: '2026-11-26T23:59:00Z', window: null },
  ])(
    'that came about after $startsAt, when the window closes, has the window $window',
    async ({ startsAt, window }) => {
      await using fixture = await openFixture(startsAt, withWindows(nightly))
      fixture.set(elsewhere)
      expect(windowsOf(await fixture.next(hourMs))).toEqual([window])
    },
  )

  it.each([
    // Clocks go forward on 29 March: 22:00 in Berlin is 21:00 in UTC before, and 20:00 after.
    { startsAt: '2026-03-28T19:30:00Z', window: null },
    { startsAt: '2026-03-28T20:30:00Z', window: 'berlin' },
    { startsAt: '2026-03-29T19:30:00Z', window: 'berlin' },
    { startsAt: '2026-03-29T20:58:00Z', window: 'berlin' },
    { startsAt: '2026-03-29T21:00:00Z', window: null },
  ])('within half an hour of $startsAt has, by the clock of its zone, the window $window', async (one) => {
    const berlin = '{ name: berlin, cron: "0 22 * * *", timezone: Europe/Berlin, duration: 1h }'
    await using fixture = await openFixture(one.startsAt, withWindows(berlin))
    fixture.set(elsewhere)
    expect(windowsOf(await fixture.next(30 * minuteMs))).toEqual([one.window])
  })

  it.each([
    { since: -hourMs, notices: ['clock_went_back'], after: null, outside: 0 },
    { since: hourMs, notices: [], after: '2026-11-26T20:01:00.000Z', outside: 1 },
  ])('is not called outside where the clock went back: $since ms', async ({ since, notices, after, outside }) => {
    await using fixture = await openFixture('2026-11-26T20:00:00Z', withWindows(nightly))
    fixture.set(elsewhere)
    const report = await fixture.next(since)
    expect(report.notices.map(({ code }) => code)).toEqual(notices)
    expect(report.drift.map(({ window, between }) => [window, between.after])).toEqual([[null, after]])
    expect(outsideIn(report)).toHaveLength(outside)
  })

  it('has windows of its own project only, and without any for it, no rule asks for one', async () => {
    const policy = withWindows('{ name: other, cron: "0 22 * * *", duration: 2h, projects: ["acme/other*"] }')
    await using fixture = await openFixture('2026-11-26T22:10:00Z', policy)
    fixture.set(elsewhere)
    const report = await fixture.next(hourMs)
    expect(windowsOf(report)).toEqual([null])
    expect(outsideIn(report)).toEqual([])
  })

  it('keeps its window in the report of its run under later policies', async () => {
    await using fixture = await openFixture('2026-11-26T22:00:00Z', withWindows(nightly))
    fixture.set(elsewhere)
    const report = await fixture.next(hourMs)
    await fixture.next(hourMs, { policy: policyOf('extends: []') })
    const record = await fixture.harness.withHistory((history) => readRunRecord(history, report.run.number))
    expect(record && composeReport(record)).toEqual(report)
  })
})

describe('a report', () => {
  it.each(['text', 'html', 'markdown', 'json', 'jsonl', 'csv'] as const)(
    'names windows and tickets as %s',
    async (name) => {
      await using fixture = await openFixture('2026-11-26T22:00:00Z', withWindows(nightly))
      fixture.set({ description: 'other words' })
      // Equal changes are one cause.
      for (const index of [1, 2]) fixture.set({ support_email: 'on-call@example.com' }, index)
      const render = await formats[name].load()
      const shown = (report: Report) => render(report, { width: 200, colour: false, full: false, section: 'drift' })
      const report = await fixture.next(hourMs)
      expect(windowsOf(report)).toEqual(['nightly', 'nightly', 'nightly'])
      const mentions = shown(report).match(/nightly/g)?.length ?? 0
      // In text, what a cause explains is not listed one by one.
      expect(mentions).toBeGreaterThanOrEqual(name === 'text' ? 2 : 3)
      // The ticket is a fact of the project, which these two do not have.
      if (name !== 'csv' && name !== 'jsonl') expect(shown(report)).toContain('CHG-4711')
      expect(shown(await fixture.next(hourMs))).not.toContain('nightly')
    },
  )
})

describe('drift/outside-window', () => {
  const outside =
    'modified between 2026-11-26 12:01 and 13:01 UTC, outside every change window (the next: nightly, 2026-11-26 22:00 UTC)'

  it('says of a first scan nothing, and of a change outside all windows when it came about', async () => {
    await using fixture = await openFixture('2026-11-26T12:00:00Z', withWindows(nightly))
    fixture.set(elsewhere)
    expect(outsideIn(await fixture.next(hourMs))).toEqual([`opened drift/outside-window: ${outside}`])
    expect(outsideIn(await fixture.next(hourMs))).toEqual([`continuing drift/outside-window: ${outside}`])
    fixture.set({ description: 'other words' })
    expect(outsideIn(await fixture.next(hourMs))).toEqual([`continuing drift/outside-window: ${outside}`])
  })

  it('is fixed when the resource is as before, and the way back is not a violation', async () => {
    await using fixture = await openFixture('2026-11-26T12:00:00Z', withWindows(nightly))
    fixture.set(elsewhere)
    await fixture.next(hourMs)
    fixture.set({ url: 'https://one.example.com/in' })
    expect(linesOf(await fixture.next(hourMs))).toEqual([
      `fixed drift/outside-window: ${outside}`,
      expect.stringMatching(/^fixed drift\/url-host-changed: /),
    ])
    expect(linesOf(await fixture.next(hourMs))).toEqual([])
  })

  it('says when a value came that cannot be read, and lasts until the former one is back', async () => {
    await using fixture = await openFixture('2026-11-26T12:00:00Z', withWindows(nightly))
    const found: string[][] = []
    for (const limit of ['x', 'y', 70_000, 'x'] as number[]) {
      fixture.set({ http_timeout: limit })
      found.push(outsideIn(await fixture.next(hourMs)))
    }
    const lines = ['opened', 'continuing', 'continuing', 'continuing']
    expect(found).toEqual(lines.map((state) => [`${state} drift/outside-window: ${outside}`]))
  })

  it('expires, and a change after that is one of its own', async () => {
    const policy = withWindows(nightly, '{ drift/outside-window: { open_for: 3h } }')
    await using fixture = await openFixture('2026-11-26T12:00:00Z', policy)
    fixture.set(elsewhere)
    await fixture.next(hourMs)
    expect(outsideIn(await fixture.next(3 * hourMs))).toEqual([`expired drift/outside-window: ${outside}`])
    fixture.set({ url: 'https://three.example.com/in' })
    expect(outsideIn(await fixture.next(hourMs))).toEqual([
      expect.stringMatching(/^opened .* between 2026-11-26 16:01 and 17:01 UTC/),
    ])
  })

  it('holds an acceptance to what the resource is', async () => {
    await using fixture = await openFixture('2026-11-26T12:00:00Z', withWindows(nightly))
    fixture.set(elsewhere)
    await fixture.accept(await fixture.next(hourMs), 'drift/outside-window')
    expect(outsideIn(await fixture.next(hourMs))).toEqual([expect.stringMatching(/^accepted /)])
    expect(outsideIn(await fixture.next(hourMs))).toEqual([])
    fixture.set({ description: 'other words' })
    expect(outsideIn(await fixture.next(hourMs))).toEqual([expect.stringMatching(/^opened .* \(accepted before, /)])
  })

  it('stays open under an earlier baseline, and ends with the approval of the changed state', async () => {
    const policy = withWindows(nightly, '{ drift/outside-window: {}, drift/unexpected: {} }')
    await using fixture = await openFixture('2026-11-26T12:00:00Z', policy)
    await fixture.approve()
    fixture.set(elsewhere)
    const statesIn = (report: Report) => report.violations.map(({ rule, state }) => `${state} ${rule}`).sort()
    expect(statesIn(await fixture.next(hourMs))).toEqual(['opened drift/outside-window', 'opened drift/unexpected'])
    const report = await fixture.next(hourMs)
    expect(statesIn(report)).toEqual(['continuing drift/outside-window', 'continuing drift/unexpected'])
    expect(outsideIn(report)).toEqual([`continuing drift/outside-window: ${outside}`])
    await fixture.approve()
    expect(outsideIn(await fixture.next(hourMs))).toEqual([expect.stringMatching(/^accepted /)])
    expect(outsideIn(await fixture.next(hourMs))).toEqual([])
  })

  it('finds what came and what went, until it is gone', async () => {
    await using fixture = await openFixture('2026-11-26T12:00:00Z', withWindows(nightly))
    createEndpoint(fixture.fleet, fixture.uidOf('payments'), { name: 'new', url: 'https://new.example.com/in' })
    deleteEndpoint(fixture.fleet, fixture.endpointAt(1))
    const between = 'between 2026-11-26 12:01 and 13:01 UTC'
    expect(outsideIn(await fixture.next(hourMs))).toEqual([
      expect.stringContaining(`opened drift/outside-window: added ${between}`),
      expect.stringContaining(`opened drift/outside-window: removed ${between}`),
    ])
    expect(outsideIn(await fixture.next(hourMs))).toEqual([
      expect.stringContaining(`continuing drift/outside-window: added ${between}`),
      expect.stringContaining(`removed drift/outside-window: removed ${between}`),
    ])
    expect(outsideIn(await fixture.next(hourMs))).toEqual([expect.stringMatching(/^continuing .* added/)])
  })

  it.each([
    { list: 'could not be read', fault: {}, options: {} },
    { list: 'broke off', fault: { page: 2 }, options: { pageSize: 2 } },
    { list: 'is narrowed to others', fault: undefined, options: { filters: { endpoints: { name: 'other' } } } },
  ])('takes no resource for removed that a scan did not show: its list $list', async ({ fault, options }) => {
    const policy = policyOf(`
extends: []
rules: { drift/outside-window: {} }
windows: [${nightly}]
custom: [{ id: acme/two, kind: endpoint, assert: '!resource.url.contains("two")', severity: high, message: two }]
`)
    await using fixture = await openFixture('2026-11-26T12:00:00Z', policy)
    for (const index of [0, 1, 2, 3]) fixture.set(elsewhere, index)
    expect((await fixture.next(hourMs)).violations).toHaveLength(8)
    const refusal = { how: 'status', status: 403, body: { status: false, message: 'no' }, path: /endpoints/ } as const
    if (fault !== undefined) fixture.service.failNext({ ...refusal, ...fault, times: Number.POSITIVE_INFINITY })
    const { violations } = await fixture.next(hourMs, options)
    const unshown = fault !== undefined && 'page' in fault ? 2 : 4
    const states = Map.groupBy(violations, ({ rule, state }) => `${state} ${rule}`)
    expect(states.get('unknown acme/two')).toHaveLength(unshown)
    expect(states.get('unknown drift/outside-window')).toHaveLength(unshown)
    expect(violations).toHaveLength(8)
    expect(violations.filter(({ state }) => state === 'resolved')).toEqual([])
  })

  it('is found by a replay as by the runs', async () => {
    const policy = withWindows(nightly)
    await using fixture = await openFixture('2026-11-26T12:00:00Z', policyOf('extends: []'))
    fixture.set(elsewhere)
    deleteEndpoint(fixture.fleet, fixture.endpointAt(1))
    await fixture.next(hourMs, { policy: policyOf('extends: []') })
    fixture.set(elsewhere, 1)
    await fixture.next(10 * hourMs, { policy: policyOf('extends: []') })
    const violations = await fixture.harness.withHistory(async (history) => {
      const runs = await listRuns(history)
      return (await replayRuns(history, { policy, runs })).violations
    })
    const between = 'between 2026-11-26 12:01 and 13:01 UTC'
    const found = violations.map(({ rule, state, resolution, message }) => `${resolution ?? state} ${rule}: ${message}`)
    expect(found.filter((line) => line.includes('drift/outside-window'))).toEqual([
      expect.stringContaining(`continuing drift/outside-window: modified ${between}`),
      expect.stringContaining(`removed drift/outside-window: removed ${between}`),
    ])
  })
})

describe('a report by control', () => {
  it('lists changes within windows apart, with window and ticket, of a run and of a period', async () => {
    const policy = withWindows(nightly)
    await using fixture = await openFixture('2026-11-26T22:00:00Z', policy)
    fixture.set(elsewhere)
    await fixture.next(hourMs)
    fixture.set({ description: 'other words' })
    await fixture.next(hourMs)
    fixture.set({ description: 'again other words' })
    await fixture.next(2 * hourMs)
    const period = { from: '1', to: '4', now: fixture.harness.clock.now() }
    const [none, ofRun, ofPeriod] = await fixture.harness.withHistory((history) =>
      Promise.all([
        assessRun(history, soc2, 4, composeReport),
        assessRun(history, soc2, 2, composeReport),
        gatherCompliance(history, soc2, period, composeReport),
      ]),
    )
    const changes = [3, 2].map((run) => ({ run, window: 'nightly', ticket: 'CHG-4711', change: 'modified' }))
    expect(none?.expected_changes).toEqual([])
    expect(ofRun?.expected_changes).toMatchObject(changes.slice(1))
    expect(ofPeriod?.expected_changes).toMatchObject(changes)
    for (const format of ['text', 'html', 'markdown'] as const) {
      const shown = ofPeriod && complianceReports[format](ofPeriod, { width: 100, colour: false, full: true })
      expect(shown).toContain('Changes within change windows')
      expect(shown).toContain('CHG-4711')
      const silent = none && complianceReports[format](none, { width: 100, colour: false, full: true })
      expect(silent).not.toContain('Changes within change windows')
    }
    const shown = (format: 'csv' | 'oscal', compliance: Compliance | undefined) =>
      compliance && complianceReports[format](compliance, { width: 100, colour: false, full: true, section: 'drift' })
    const [head, ...rows] = shown('csv', ofPeriod)?.trim().split('\r\n') ?? []
    expect(head).toBe('window,ticket,run,project,kind,uid,name,change,between_after,between_before')
    expect(rows.map((row) => row.split(',').slice(0, 3))).toEqual(
      [3, 2].map((run) => ['nightly', 'CHG-4711', `${run}`]),
    )
    expect(shown('csv', none)?.trim()).toBe(head)
    const observed = (compliance: Compliance | undefined): { props: { name: string; value: string }[] }[] =>
      (JSON.parse(shown('oscal', compliance) ?? '{}')['assessment-results'].results[0].observations ?? []).filter(
        ({ types }: { types: string[] }) => types.includes('historic'),
      )
    expect(
      observed(ofPeriod).map(({ props }) => Object.fromEntries(props.map(({ name, value }) => [name, value]))),
    ).toMatchObject([3, 2].map((run) => ({ window: 'nightly', ticket: 'CHG-4711', run: `${run}`, change: 'modified' })))
    expect(observed(none)).toEqual([])
  })
})

describe('--fail-on new', () => {
  const verdictOf = ({ verdict }: Report) => [verdict.exit_code, verdict.text]

  it('passes what follows from a change within a window in the run that finds it, and a severity does not', async () => {
    await using fixture = await openFixture('2026-11-26T22:00:00Z', withWindows(nightly))
    fixture.set(elsewhere)
    const report = await fixture.next(hourMs, { failOn: 'new' })
    expect(linesOf(report)).toEqual([expect.stringMatching(/^opened drift\/url-host-changed/)])
    expect(verdictOf(report)).toEqual([
      0,
      // The open one is new: a change in a window led to it.
      'Scanned 5 resources, no new violation at medium or above outside of change windows (open: 1 high), 1 rule could not evaluate everything, 1 change (in a change window).',
    ])
    expect(verdictOf(await fixture.next(hourMs, { failOn: 'medium' }))[0]).toBe(1)
  })

  it('fails for what follows from a change outside, and for other violations that a run opens', async () => {
    await using fixture = await openFixture('2026-11-26T12:00:00Z', withWindows(nightly))
    fixture.set(elsewhere)
    expect(verdictOf(await fixture.next(hourMs, { failOn: 'new' }))[0]).toBe(1)
    await using other = await openFixture('2026-11-26T22:00:00Z', withWindows(nightly))
    other.set({ description: 'other words' })
    const strict = withWindows(
      nightly,
      '{ endpoint/url-not-https: {}, endpoint/timeout-high: { max_seconds: 1, severity: high } }',
    )
    expect(verdictOf(await other.next(hourMs, { failOn: 'new', policy: strict }))[0]).toBe(1)
  })
})
