import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, assert, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { wrapMarkdown } from '../../scripts/reference/wrap-markdown.ts'
import { skipReasons } from '../../src/app/worker/keep-schedule.ts'
import { openMetrics } from '../../src/app/worker/metrics.ts'
import { readFleetNames, readPast } from '../../src/app/worker/read-past.ts'
import { deleteEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { Report } from '../../src/model/report.ts'
import type { ProjectRef } from '../../src/model/resource.ts'
import { Stop } from '../../src/model/stop.ts'
import { severities } from '../../src/model/violation.ts'
import { json } from '../../src/report/json.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { addProject, listRules, openDiscoveryFixture } from '../audit/discovery-fixture.ts'
import { at, openFleetFixture } from '../audit/fleet-fixture.ts'
import { checkout, textOf } from '../deploy/build-image.ts'
import { dashboardFile, panels, rows } from '../deploy/read-dashboard.ts'
import { readScrape } from './scrape.ts'
import { aSchedule } from './worker-harness.ts'

const open = () => openMetrics({ version: '1.2.3', historyBytes: async () => 4096 })
const scrapeOf = async ({ registry }: ReturnType<typeof open>) => readScrape(await registry.metrics())
const alertsFile = 'deploy/prometheus/alerts.yaml'
const schedulePage = 'docs/how-to/run-on-a-schedule.md'

/** Two projects with problems, and a run in which one of them cannot be walked to its end. */
async function withRuns() {
  const fixture = await openFleetFixture({
    fleet: { clean: false, projects: 2, incomingEvery: 2, endpointsPerProject: 30 },
  })
  const [first, second] = fixture.fleet.projects()
  assert(first && second, 'too few projects')
  const reports = [await fixture.audit()]
  const { endpoints } = fixture.fleet.open(first.uid)
  setEndpointStatus(fixture.fleet, { project: first.uid, uid: at(endpoints, 3).uid }, 'inactive')
  deleteEndpoint(fixture.fleet, { project: first.uid, uid: at(endpoints, 8).uid })
  fixture.service.failNext({ how: 'bad-json', path: new RegExp(`${second.uid}/subscriptions`), times: 9 })
  reports.push(await fixture.audit())
  return { fixture, reports }
}

/** What the numbers must be, from the report as it is written for machines. */
function expectedFrom(report: Report) {
  const { verdict, coverage, drift, violations } = JSON.parse(
    json(report, { colour: false, width: 80, full: true }),
  ) as Report
  const unknown = violations.filter(({ state }) => state === 'unknown')
  const shown = violations.filter(({ state }) => state === 'opened' || state === 'continuing' || state === 'unknown')
  const count = (keys: readonly string[]) =>
    Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length] as const))
  return {
    verdict,
    walks: count(
      coverage.map(({ project, listing, status }) => `listing=${listing} project=${project} status=${status}`),
    ),
    violations: count(shown.map(({ rule, severity }) => `rule=${rule} severity=${severity}`)),
    unknown: count(unknown.map(({ rule, severity }) => `rule=${rule} severity=${severity}`)),
    drift: count(drift.map(({ project, change }) => `change=${change} project=${project}`)),
    requests: coverage.reduce((sum, { requests }) => sum + requests, 0),
    retries: coverage.reduce((sum, { retries }) => sum + retries, 0),
    seconds: (Date.parse(report.run.finished_at) - Date.parse(report.run.started_at)) / 1000,
  }
}

describe('metrics', () => {
  let runs: Awaited<ReturnType<typeof withRuns>>
  beforeAll(async () => {
    runs = await withRuns()
  })
  afterAll(() => runs.fixture[Symbol.asyncDispose]())

  it('match the JSON report, read by a foreign parser', async () => {
    const metrics = open()
    for (const report of runs.reports) metrics.ended('quarter-hourly', report)
    const [first, last] = runs.reports.map(expectedFrom)
    assert(first && last, 'no report')
    const scrape = await scrapeOf(metrics)

    expect(scrape.samples('hookdrift_walks')).toEqual(last.walks)
    expect(scrape.samples('hookdrift_open_violations')).toEqual(last.violations)
    const changed = Object.entries(scrape.samples('hookdrift_drift')).filter(([, value]) => value > 0)
    expect(Object.fromEntries(changed)).toEqual(last.drift)
    for (const severity of severities) {
      const rules = Object.entries(scrape.samples('hookdrift_open_violations')).filter(([labels]) =>
        labels.endsWith(`severity=${severity}`),
      )
      const held = Object.entries(last.unknown).filter(([labels]) => labels.endsWith(`severity=${severity}`))
      const sum = (all: [string, number][]) => all.reduce((total, [, value]) => total + value, 0)
      expect(sum(rules)).toBe(last.verdict.violations[severity] + sum(held))
    }
    const unknown = Object.entries(scrape.samples('hookdrift_unknown_violations')).filter(([, value]) => value > 0)
    expect(Object.fromEntries(unknown)).toEqual(last.unknown)
    expect(unknown).not.toEqual([])
    expect(scrape.sum('hookdrift_project_open_violations')).toBe(scrape.sum('hookdrift_open_violations'))
    expect(scrape.samples('hookdrift_last_run_exit_code')).toEqual({ '': 3 })
    expect(scrape.sum('hookdrift_requests_total')).toBe(first.requests + last.requests)
    expect(scrape.sum('hookdrift_retries_total')).toBe(first.retries + last.retries)
    expect(last.retries).toBeGreaterThan(0)
    expect(scrape.samples('hookdrift_run_duration_seconds_count')).toEqual({ 'schedule=quarter-hourly': 2 })
    expect(scrape.sum('hookdrift_run_duration_seconds_sum')).toBeCloseTo(first.seconds + last.seconds)
    expect(scrape.samples('hookdrift_runs_total')).toEqual({
      'outcome=incomplete schedule=quarter-hourly': 1,
      'outcome=violations schedule=quarter-hourly': 1,
    })
  })

  it('contain the last complete scan of a project, which an incomplete scan does not change', async () => {
    const metrics = open()
    for (const report of runs.reports) metrics.ended('a', report)
    const [first, last] = runs.reports.map(({ run }) => Date.parse(run.finished_at) / 1000)
    const [whole, broken] = runs.fixture.fleet.projects().map(({ name }) => `project=acme/${name}`)
    const scrape = await scrapeOf(metrics)
    expect(scrape.samples('hookdrift_last_success_timestamp_seconds')).toEqual({
      [`${whole}`]: last,
      [`${broken}`]: first,
    })
    const listings = scrape.samples('hookdrift_last_complete_walk_timestamp_seconds')
    expect(listings[`listing=endpoints ${broken}`]).toBe(last)
    expect(listings[`listing=subscriptions ${broken}`]).toBe(first)
  })

  it('have the first sighting of the oldest open violation by severity, and how many are overdue', async () => {
    await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 6 } })
    const policy = policyOf(
      'extends: []\nrules: { endpoint/inactive: high, endpoint/timeout-high: low, violation/overdue: {} }\ndue: { high: 2d }',
    )
    fixture.set({ status: 'inactive' })
    fixture.set({ http_timeout: 500 }, 1)
    const first = await fixture.audit({ policy })
    fixture.harness.advance(3 * 86_400_000)
    fixture.set({ status: 'inactive' }, 2)
    const metrics = open()
    metrics.ended('a', first)
    metrics.ended('a', await fixture.audit({ policy }))
    const scrape = await scrapeOf(metrics)
    const since = Date.parse(first.run.started_at) / 1000
    expect(scrape.samples('hookdrift_oldest_open_violation_timestamp_seconds')).toEqual({
      'project=acme/payments severity=high': since,
      'project=acme/payments severity=low': since,
    })
    expect(scrape.samples('hookdrift_overdue_violations')).toEqual({
      'project=acme/payments severity=high': 1,
      'project=acme/payments severity=low': 0,
    })
    for (const index of [0, 2]) fixture.set({ status: 'active' }, index)
    metrics.ended('a', await fixture.audit({ policy }))
    expect((await scrapeOf(metrics)).samples('hookdrift_overdue_violations')).toEqual({
      'project=acme/payments severity=low': 0,
    })
  })

  it('have open violations of the policy itself, also after a restart', async () => {
    await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 3 } })
    const waiver = '{ rule: endpoint/inactive, match: { uid: none }, owner: o, reason: r, expires: 2027-01-31 }'
    const policy = policyOf(`extends: []\nrules: { endpoint/inactive: low, waiver/unused: high }\nwaivers: [${waiver}]`)
    const before = open()
    before.ended('a', await fixture.audit({ policy }))
    const after = open()
    after.remember(await fixture.harness.withHistory((history) => readPast(history, () => true)))
    for (const metrics of [before, after]) {
      const scrape = await scrapeOf(metrics)
      expect(scrape.samples('hookdrift_open_violations')).toEqual({ 'rule=waiver/unused severity=high': 1 })
      expect(scrape.samples('hookdrift_project_open_violations')).toEqual({
        'project=hookdrift/policy severity=high': 1,
      })
    }
  })

  it('have violations of a list as long as there are any, also after a restart', async () => {
    await using fixture = await openDiscoveryFixture()
    const configured = ['acme/orders', 'acme/payments']
    const ofList = async () => {
      const metrics = open()
      const isConfigured = ({ name }: ProjectRef) => configured.includes(name)
      const names = await fixture.harness.withHistory(async (history) => {
        metrics.remember(await readPast(history, isConfigured))
        return readFleetNames(history, isConfigured)
      })
      const ofProjects = (await scrapeOf(metrics)).samples('hookdrift_project_open_violations')
      return [names.has('acme/*'), ofProjects['project=acme/* severity=low']]
    }
    const named = { list: { named: configured }, policy: listRules }
    const uid = addProject(fixture.fleet, 'refunds')
    await fixture.audit(named)
    expect(await ofList()).toEqual([true, 1])
    await fixture.audit({ ...named, only: ['acme/orders'] })
    expect(await ofList()).toEqual([true, 1])
    fixture.fleet.remove(uid)
    await fixture.audit(named)
    expect(await ofList()).toEqual([true, undefined])
    await fixture.audit(named)
    expect(await ofList()).toEqual([false, undefined])
  })

  it('are the same after a restart, from the history alone', async () => {
    const before = open()
    for (const report of runs.reports) before.ended('a', report)
    const after = open()
    const names = runs.fixture.fleet.projects().map(({ name }) => `acme/${name}`)
    after.remember(
      await runs.fixture.harness.withHistory((history) => readPast(history, ({ name }) => names.includes(name))),
    )
    const [was, is] = [await scrapeOf(before), await scrapeOf(after)]
    for (const name of [
      'hookdrift_last_success_timestamp_seconds',
      'hookdrift_oldest_open_violation_timestamp_seconds',
      'hookdrift_overdue_violations',
      'hookdrift_walks',
      'hookdrift_open_violations',
      'hookdrift_project_open_violations',
      'hookdrift_drift',
      'hookdrift_last_run_timestamp_seconds',
      'hookdrift_last_run_exit_code',
    ]) {
      expect(is.samples(name)).toEqual(was.samples(name))
      expect(Object.keys(is.samples(name)).length).toBeGreaterThan(0)
    }
    expect(is.sum('hookdrift_runs_total')).toBe(0)
  })

  it('count ticks by outcome, and list each schedule from its start', async () => {
    const metrics = open()
    metrics.planned(new Map([['a', 1_795_000_000_000]]))
    metrics.skipped('a', 'running', 2)
    metrics.started('a')
    metrics.failed('a')
    metrics.failed('a')
    metrics.reloaded(false)
    metrics.page('endpoints', 250)
    const scrape = await scrapeOf(metrics)
    expect(scrape.samples('hookdrift_ticks_skipped_total')).toEqual({
      'reason=away schedule=a': 0,
      'reason=busy schedule=a': 0,
      'reason=elsewhere schedule=a': 0,
      'reason=running schedule=a': 2,
    })
    expect(scrape.samples('hookdrift_runs_total')).toMatchObject({
      'outcome=failed schedule=a': 2,
      'outcome=clean schedule=a': 0,
    })
    expect(scrape.samples('hookdrift_next_tick_timestamp_seconds')).toEqual({ 'schedule=a': 1_795_000_000 })
    expect(scrape.samples('hookdrift_consecutive_failures')).toEqual({ '': 2 })
    expect(scrape.samples('hookdrift_reload_failed')).toEqual({ '': 1 })
    expect(scrape.samples('hookdrift_run_in_progress')).toEqual({ '': 0 })
    expect(scrape.samples('hookdrift_history_bytes')).toEqual({ '': 4096 })
    expect(scrape.samples('hookdrift_info')).toEqual({ 'version=1.2.3': 1 })
    expect(scrape.samples('hookdrift_page_duration_seconds_sum')).toEqual({ 'listing=endpoints': 0.25 })
    expect(scrape.samples('hookdrift_page_duration_seconds_bucket')).toMatchObject({
      'le=0.1 listing=endpoints': 0,
      'le=0.25 listing=endpoints': 1,
      'le=+Inf listing=endpoints': 1,
    })
  })

  it('say no longer that a run is under way when another worker goes on with it, and forget failures after its run', async () => {
    const metrics = open()
    metrics.started('a')
    metrics.leftToOthers()
    for (let runs = 0; runs < 3; runs++) metrics.failed('a')
    expect((await scrapeOf(metrics)).samples('hookdrift_consecutive_failures')).toEqual({ '': 3 })
    metrics.committedElsewhere()
    const scrape = await scrapeOf(metrics)
    expect(scrape.samples('hookdrift_consecutive_failures')).toEqual({ '': 0 })
    expect(scrape.samples('hookdrift_run_in_progress')).toEqual({ '': 0 })
  })

  it('contain no last run without a run', async () => {
    const scrape = await scrapeOf(open())
    expect(scrape.samples('hookdrift_last_run_exit_code')).toEqual({})
    expect(scrape.samples('hookdrift_last_run_timestamp_seconds')).toEqual({})
    expect(scrape.samples('hookdrift_reload_failed')).toEqual({ '': 0 })
  })

  it('contain no uid and no key', async () => {
    const metrics = open()
    for (const report of runs.reports) metrics.ended('a', report)
    const text = await metrics.registry.metrics()
    expect(text).not.toMatch(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/)
    expect(text).not.toContain(runs.fixture.fleet.personalKey)
  })

  it('keep projects that another schedule scanned', async () => {
    const metrics = open()
    const [first, second] = runs.fixture.fleet.projects().map(({ name }) => `acme/${name}`)
    const [report] = runs.reports
    assert(report, 'no report')
    metrics.ended('all', report)
    const whole = (await scrapeOf(metrics)).samples('hookdrift_project_open_violations')
    metrics.ended('some', await runs.fixture.audit({ only: [first ?? ''] }))
    const ofSecond = (samples: Record<string, number>) =>
      Object.entries(samples).filter(([labels]) => labels.includes(second ?? ''))
    const now = (await scrapeOf(metrics)).samples('hookdrift_project_open_violations')
    expect(ofSecond(whole).length).toBeGreaterThan(0)
    expect(ofSecond(now)).toEqual(ofSecond(whole))
  })
})

describe('the time when a schedule was last served', () => {
  it('is its oldest last scan of a project, without runs that a signal ended', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 2 } })
    const [first = '', second = ''] = fixture.fleet.projects().map(({ name }) => `acme/${name}`)
    const served = async (projects: readonly string[]) => {
      const past = await fixture.harness.withHistory((history) =>
        readPast(history, ({ name }) => [first, second].includes(name)),
      )
      return past.servedUntil(aSchedule({ projects, jitterMs: 1000 }))
    }
    const startOf = ({ run }: Report) => Date.parse(run.started_at)
    const whole = await fixture.audit()
    const part = await fixture.audit({ only: [first] })
    expect(await served([])).toBe(startOf(whole))
    expect(await served([first])).toBe(startOf(part))
    expect(await served(['other/*'])).toBeUndefined()
    const ended = await fixture.audit({ signal: AbortSignal.abort(new Stop('sigterm', 'SIGTERM')) })
    expect(ended.verdict.exit_code).toBe(143)
    expect(new Set(ended.coverage.map(({ status }) => status))).toEqual(new Set(['partial']))
    expect(await served([])).toBe(startOf(ended) - 61_000)
  })

  it('is not that of an earlier project of the same name, which no run will scan again', async () => {
    const projects: Record<string, string> = {}
    const fleet = generateFleet({ clean: true, projects: 2, incomingEvery: 0, endpointsPerProject: 1 })
    await using fixture = await openFleetFixture({ fleet, harness: { projects } })
    for (const { uid } of fleet.projects()) {
      projects.payments = uid
      await fixture.audit()
    }
    const { run } = await fixture.audit()
    const past = await fixture.harness.withHistory((history) => readPast(history, () => true))
    expect(past.servedUntil(aSchedule())).toBe(Date.parse(run.started_at))
  })
})

describe('the page about metrics', () => {
  it('names every reason of a skipped tick', () => {
    const text = textOf(schedulePage)
    const [, rows = ''] = /^\| `reason` of a skipped tick(.*?)\n\n/ms.exec(text) ?? []
    expect([...rows.matchAll(/`(\w+)`/g)].map(([, reason]) => reason).sort()).toEqual([...skipReasons].sort())
  })

  it('has a line for each metric, and no other (UPDATE_PAGES=1 rewrites them)', async () => {
    const text = textOf(schedulePage)
    const labels = await labelsInUse()
    const lines = open()
      .registry.getMetricsAsArray()
      .map((metric) => {
        const { name, help, type } = describeMetric(metric)
        const names = (labels.get(name) ?? []).map((label) => ` \`${label}\``)
        return `- \`${name}\` (${[type, ...names].join(',')}): ${help}.`
      })
    const list = wrapMarkdown(['<!-- metrics -->', ...lines, '<!-- end -->'].join('\n'))
    const current = text.replace(/<!-- metrics -->.*?<!-- end -->/s, () => list)
    if (process.env.UPDATE_PAGES !== undefined) writeFileSync(join(checkout, schedulePage), current)
    else expect(text).toBe(current)
  })
})

describe('the alerts and the dashboard', () => {
  const known = async () => {
    const names = open()
      .registry.getMetricsAsArray()
      .flatMap((metric) => {
        const { name, type } = describeMetric(metric)
        return type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name]
      })
    return new Set(names)
  }
  const named = (text: string) => new Set(text.match(/hookdrift_\w+/g) ?? [])

  it.each([alertsFile, dashboardFile])('name only metrics that are served: %s', async (file) => {
    const names = named(textOf(file))
    expect(names.size).toBeGreaterThan(5)
    const served = await known()
    expect([...names].filter((name) => !served.has(name))).toEqual([])
  })

  it('group and select by labels that the metrics have', async () => {
    const text = textOf(alertsFile) + textOf(dashboardFile)
    const labels = new Set([...(await labelsInUse()).values()].flat())
    const used = [
      ...[...text.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, ?/)),
      ...[...text.matchAll(/\{(\w+)(?:=~|!~|!=|=)/g)].map(([, name = '']) => name),
      ...[...text.matchAll(/\$labels\.(\w+)/g)].map(([, name = '']) => name),
    ].filter((name) => !['le', 'instance', 'job'].includes(name))
    expect(used.filter((name) => !labels.has(name))).toEqual([])
  })

  it('take a run elsewhere for a run, and count once what all workers of a history show alike', () => {
    const text = [alertsFile, dashboardFile].map((file) => textOf(file).replaceAll('\\"', '"')).join('\n')
    expect(text).toContain('hookdrift_ticks_skipped_total{reason!~"away|elsewhere"}')
    const alike = ['walks', 'open_violations', 'project_open_violations', 'overdue_violations', 'drift']
    const added = new RegExp(`(?:sum|count)(?: by \\([^)]*\\))? ?\\(hookdrift_(?:${alike.join('|')})\\b`, 'g')
    expect(text.match(added)).toBeNull()
  })

  it('keep waiting when the status of a walk changes from run to run, for each history by itself', () => {
    const text = textOf(alertsFile)
    const expressions = text.match(/(?<=expr: ).*hookdrift_walks.*/g) ?? []
    expect(expressions).toHaveLength(2)
    for (const expression of expressions)
      expect(expression).toContain('max by (job, project, listing) (hookdrift_walks{')
    expect(text).not.toMatch(/\bon \(project\)|\$labels\.status/)
  })

  it('count no incomplete walk only where walks are known: without a worker there is no number', () => {
    const incomplete = panels.find(({ title }) => title === 'Incomplete walks')
    expect(incomplete?.targets?.[0]?.expr).toMatch(/ or 0 \* max\(hookdrift_walks\)$/)
    expect(JSON.stringify(panels)).not.toContain('vector(0)')
  })

  it('add the failures of workers that coordinated a run each', async () => {
    const pool = [open(), open(), open()]
    for (const metrics of pool) metrics.failed('quarter-hourly')
    const counts = await Promise.all(
      pool.map(async (metrics) => (await scrapeOf(metrics)).samples('hookdrift_consecutive_failures')['']),
    )
    expect(counts).toEqual([1, 1, 1])
    const { groups } = parse(textOf(alertsFile))
    const failing = groups[0].rules.find(({ alert }: { alert: string }) => alert === 'HookdriftRunsFail')
    expect(failing.expr).toBe('sum by (job) (hookdrift_consecutive_failures) >= 3')
  })

  it('miss one worker of several: the series of the others must not hide it', () => {
    const { groups } = parse(textOf(alertsFile))
    const down = groups[0].rules.find(({ alert }: { alert: string }) => alert === 'HookdriftDown')
    expect(down).toMatchObject({ expr: expect.stringMatching(/^up == 0 and on \(job, instance\) .*hookdrift_info\[/) })
  })

  it('are valid for their programs', () => {
    const { groups } = parse(textOf(alertsFile))
    for (const { rules } of groups) {
      for (const rule of rules) {
        expect(rule).toMatchObject({
          alert: expect.stringMatching(/^Hookdrift\w+$/),
          expr: expect.any(String),
          labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
        })
        expect(Object.keys(rule.annotations)).toEqual(['summary', 'description'])
      }
    }
    const ids = [...panels, ...rows].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { title, targets = [], gridPos } of panels) {
      expect(title).toMatch(/\S/)
      expect(targets.length).toBeGreaterThan(0)
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    }
  })
})

/** The labels of each metric, in the order in which they are shown. */
async function labelsInUse() {
  return new Map(
    open()
      .registry.getMetricsAsArray()
      .map((metric) => [describeMetric(metric).name, describeMetric(metric).labelNames]),
  )
}

/** The client says these of its metrics, and its types keep them to themselves. */
function describeMetric(metric: object) {
  const { name, help, labelNames } = metric as { name: string; help: string; labelNames: readonly string[] }
  return {
    name,
    help,
    type: metric.constructor.name.toLowerCase(),
    labelNames: labelNames.filter((label) => label !== 'le'),
  }
}
