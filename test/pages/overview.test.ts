import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import { columnsIn } from '../../src/model/text/table.ts'
import { dayMs, showOpenTime } from '../../src/model/time.ts'
import { severities } from '../../src/model/violation.ts'
import { noPlan } from '../../src/pages/page.ts'
import { readStatus, statusView } from '../../src/questions/status.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { addProject } from '../audit/discovery-fixture.ts'
import type { Answer } from '../cli/run-in-process.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openSiteOver, openStorySite, owner } from './story-site.ts'

const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')

describe('the overview', () => {
  const hour = 3_600_000
  const schedule = {
    name: 'nightly',
    cron: '0 5 * * *',
    timezone: 'UTC',
    projects: ['acme/*'],
    jitterMs: 0,
    runTimeoutMs: hour,
  }
  const configured = async () => ({
    expected: { named: ['acme/orders', 'acme/payments', 'acme/shipping', 'acme/new'], isDiscovered: () => false },
    schedules: [schedule],
    channels: [],
  })
  let configuration: () => ReturnType<typeof configured> = configured
  let site: Awaited<ReturnType<typeof openStorySite>>
  beforeAll(async () => {
    site = await openStorySite({ plan: { ...noPlan, configured: () => configuration() } })
  })
  afterAll(() => site[Symbol.asyncDispose]())

  const withCron = (cron: string) => async () => ({ ...(await configured()), schedules: [{ ...schedule, cron }] })
  const read = async (path: string) => (await site.get(path)).text()
  const ask = (line: string) => site.json(`${line} --run ${site.run}`)

  it('shows the numbers of the commands, and no others', async () => {
    const whole = await read(`/?run=${site.run}`)
    // Causes are cards of their own, each with the id that the command shows.
    const plots = [...whole.matchAll(/<figure class="plot">.*?<\/figure>/gs)].map(([plot]) => plot)
    const page = plots
      .reduce((text, plot) => text.replace(plot, ''), whole)
      .replace(/<h2 id="causes">.*?(?=<h2 id="new">)/s, '')
    const { rows: causes } = await ask('violations --by-cause')
    const cards = [...whole.matchAll(/data-cause="([^"]*)"/g)].map(([, id]) => id)
    expect(cards).toEqual(causes.map(({ id }) => id))
    expect(cards.length).toBeGreaterThan(0)
    const open = await ask('violations --open --limit all')
    const overdue = await ask('violations --open --overdue --limit all')
    const waived = await ask('violations --waived --limit all')
    const unknown = await ask('violations --unknown')
    const [status, trend, report] = [await ask('status'), await ask('trend'), await ask('report')]
    const diff = await site.json(`diff ${String(site.run - 1)} ${String(site.run)}`)
    const { rows: runs } = await site.json('runs')
    const end = Date.parse(report.run.finished_at)
    expect([overdue.counts.total, waived.counts.total, unknown.counts.total].every((count) => count > 0)).toBe(true)

    // What is not a number: texts of violations and resources, times, and the fields of changes.
    const fields = [...page.matchAll(/<tr><th scope="row"><code>\//g)].length
    expect(fields).toBe(diff.rows.reduce((sum, row) => sum + row.fields.length, 0))
    let left = textOf(
      /<div class="page-head">.*<\/main>/s.exec(page)?.[0]?.replace(/<table[^>]*"Fields".*?<\/table>/gs, '') ?? '',
    )
    const take = (text: string) => {
      expect(left).toContain(text)
      left = left.replace(text, () => ' ')
    }
    const opened = open.rows.filter(({ state }) => state === 'opened')
    const texts = [...opened, ...diff.rows].flatMap(({ message, name, uid, path, fingerprint = '' }) => [
      message,
      name,
      uid,
      path,
      fingerprint.slice(0, 8),
    ])
    for (const text of [owner, ...texts].filter(Boolean).sort((one, other) => other.length - one.length)) {
      left = left.replaceAll(text, ' ')
    }

    take(
      `? ${status.rows.filter(({ complete }) => !complete).length} of ${status.rows.length} projects was not scanned to the end`,
    )
    const failing = ['critical', 'high', 'medium'].reduce((sum, one) => sum + open.counts.severities[one], 0)
    take(`At least ${failing} open violations of medium or above: the scan is incomplete.`)
    const ended = report.violations.filter(({ state }) => state === 'resolved')
    const isFixed = ({ resolution = '' }: Answer) => ['fixed', 'removed'].includes(resolution)
    for (const severity of ['critical', 'high', 'medium']) {
      const of = (rows: Answer['rows']) => rows.filter((row) => row.severity === severity).length
      const parts = [
        [of(opened), '+# new'],
        [of(ended.filter(isFixed)), '−# fixed'],
        [of(ended.filter((row) => !isFixed(row))), '−# closed'],
        [unknown.counts.severities[severity], '# unknown'],
      ] as const
      const delta = parts
        .flatMap(([number, text]) => (number === 0 ? [] : [text.replace('#', String(number))]))
        .join(', ')
      take(`${open.counts.severities[severity]}+ ${severity} ${delta}`)
    }
    const each = severities.map((severity) => `${open.counts.severities[severity]} ${severity}`).join(', ')
    expect(page).toContain(`aria-label="${open.counts.total} open violations: ${each}"`)
    take(`and ${open.counts.severities.low} low, ${open.counts.severities.info} info`)
    take(`oldest open: ${showOpenTime(end - Date.parse(trend.oldest))}`)
    take(`${overdue.counts.total} overdue`)
    take(`${waived.counts.total} waived`)
    take(`${unknown.counts.total} unknown`)
    take(`${open.unevaluated.length} rules could not evaluate everything`)

    const days = trend.rows.map((day) => severities.reduce((sum, one) => sum + (day.open[one] ?? 0), 0))
    const period = Math.round((Date.parse(trend.period.to) - Date.parse(trend.period.from)) / dayMs)
    expect(textOf(plots[0] ?? '')).toContain(`Open violations by severity over ${period} days ${days[0]} at first`)
    for (const day of trend.rows) {
      const cells = severities.map((severity) => day.open[severity] || '·')
      expect(textOf(plots[0] ?? '')).toContain(`${day.date} ${cells.join(' ')}`)
    }
    for (const [plot, key] of [
      [plots[1], 'project'],
      [plots[2], 'owner'],
    ] as const) {
      const named = open.rows.filter((row) => row[key] !== null)
      const bars = [...(plot ?? '').matchAll(/<th scope="row">(.*?)<\/th>[\s\S]*?<td class="n">(\d+)</g)]
      const counted = Object.entries(Object.groupBy(named, (row) => String(row[key])))
      expect(bars.map(([, name = '', number]) => [textOf(name).trim(), Number(number)])).toEqual(
        counted
          .map(([name, rows = []]) => [name, rows.length] as const)
          .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
      )
    }
    for (const one of trend.severities.filter(({ fixed }: Answer) => fixed > 0))
      expect(textOf(plots[3] ?? '')).toContain(`${one.severity} ${showOpenTime(one.mean_time_to_fix_ms)}`)
    expect(days.at(-1)).toBe(open.counts.total + unknown.counts.total)
    const week = trend.weeks.at(-1)
    const recent = open.rows.filter((row) => Date.parse(row.first_seen ?? '') >= end - 7 * dayMs).length
    expect(recent).toBeGreaterThan(0)
    take(
      `in the last 7 days: opened ${week.opened} ( ${recent} still open ), fixed ${week.fixed}, removed ${week.removed}, ended otherwise ${week.closed}, ${week.waived} waived at its end`,
    )
    const means = trend.severities.filter((one: Answer) => one.fixed > 0)
    const mean = means.map((one: Answer) => `${showOpenTime(one.mean_time_to_fix_ms)} of ${one.severity}`)
    take(`mean time to fix: ${showOpenTime(trend.mean_time_to_fix_ms)} (${mean.join(', ')})`)
    take(`${week.incomplete} of ${week.runs} runs incomplete`)

    take(`New and changed in run ${site.run}`)
    take(`Opened ${opened.length}`)
    for (const { due_at } of opened) if (due_at) take(`due in ${showOpenTime(Date.parse(due_at) - end)}`)
    take(`Changed ${diff.rows.length}`)

    take(`Projects ${status.rows.length}`)
    const lost = (project: string, severity: string) =>
      unknown.rows.filter((row) => row.project === project && row.severity === severity).length
    for (const { project, complete, violations } of status.rows) {
      const cells = severities.map((severity) => {
        const then = lost(project, severity)
        if (!complete) return then === 0 ? '?' : `? ${then} then`
        return violations[severity] === 0 ? '·' : violations[severity]
      })
      take(`${project} ${cells.join(' ')} `)
      const lostHere = severities.flatMap((one) => (lost(project, one) === 0 ? [] : [`${lost(project, one)} ${one}`]))
      if (!complete) take(`(${lostHere.join(', ')} then)`)
    }
    const ofPolicy = open.rows.filter(({ project }) => project === 'hookdrift/policy').length
    take(`Besides these projects: ${ofPolicy} open violation of hookdrift/policy`)
    const byRule = Object.entries(Object.groupBy(open.rows, ({ rule }) => rule))
    expect(byRule).toHaveLength(7)
    for (const [rule, rows = []] of byRule) {
      expect(page).toMatch(new RegExp(`rule=${encodeURIComponent(rule)}[^"]*">${rows.length} open<`))
      take(`${rows.length} open`)
    }
    const [{ waiver }] = waived.rows
    take(`(in ${showOpenTime(Date.parse(waiver.expires) - end)})`)
    take(`${waived.counts.total} violation waived`)
    left = left.replace(/\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?/g, ' ').replace(/ +/g, ' ')
    for (const { number, changes, walks, incomplete } of runs) {
      const scan = incomplete === 0 ? 'complete' : `? ${incomplete} of ${walks} listings incomplete`
      take(`Run ${number} ${changes || '·'} ${scan}`)
    }
    expect(left.match(/\S*\d\S*/g) ?? []).toEqual([])
  })

  it('leads from each number to as many violations', async () => {
    const page = await read(`/?run=${site.run}`)
    const links = [...page.matchAll(/<a[^>]* href="(\/violations\?[^"]*)"[^>]*>(.*?)<\/a>/gs)].flatMap(
      ([, href = '', text = '']) => {
        const [number] = /\b\d+\b/.exec(textOf(text)) ?? []
        return number === undefined ? [] : [{ href: href.replaceAll('&amp;', '&'), number }]
      },
    )
    const kinds = ['max-severity=', 'rule=', 'overdue=', 'state=waived', 'state=unknown', 'since=']
    expect(kinds.filter((part) => !links.some(({ href }) => href.includes(part)))).toEqual([])
    for (const { href, number } of links) {
      const [, listed] = /role="status">(\d+) violation/.exec(await read(href)) ?? []
      expect([href, listed ?? '0']).toEqual([href, number])
    }
  })

  it('names projects that were never scanned, stale scans and the next schedules, as of now only', async () => {
    const page = await read('/')
    expect(textOf(page)).toContain('? The scan of 1 project is stale. never scanned: acme/new')
    expect(page).toMatch(
      /<tr data-project="acme\/new"><th scope="row">acme\/new<\/th><td data-label="critical" class="n unseen">\?/,
    )
    expect(textOf(page)).toContain('Next schedules nightly: acme/* 2026-11-30 05:00 UTC')
    const past = await read(`/?run=${site.run}`)
    expect(past).not.toContain('Next schedules')
    expect(past).not.toContain('acme/new')
  })

  it.each([
    ['is broken', () => Promise.reject(AuditError.usage('/secret-place/hookdrift.yaml:1:1: broken'))],
    ['has a schedule without times', withCron('0 0 31 2 *')],
  ])('shows what the history knows while the configuration %s', async (_, broken) => {
    configuration = broken
    const [overview, worker, project] = [await read('/'), await read('/worker'), await read('/projects/acme/orders')]
    configuration = configured
    for (const page of [overview, worker]) expect(page).toContain('<b>? The configuration cannot be read.</b>')
    expect(overview).toContain('<strong class="outcome">Failed</strong>')
    expect(textOf(worker)).toContain('The configuration cannot be read: schedules are unknown.')
    expect(textOf(project)).toContain('Schedules unknown: the configuration cannot be read')
    expect(overview + worker + project).not.toContain('secret-place')
  })
})

it('counts and lists what is open of a list of projects apart from the projects in it', async () => {
  const made = await openHistoryFixture({
    fleet: { projects: 2, endpointsPerProject: 2 },
  })
  const { fixture } = made
  fixture.set({ url: 'http://a.example/hook' })
  addProject(fixture.fleet, 'refunds')
  await fixture.audit({
    list: { named: ['acme/orders', 'acme/payments'] },
    policy: policyOf('extends: []\nrules: { endpoint/url-not-https: low, project/unlisted: low }'),
  })
  await using site = await openSiteOver(made)
  const [, href = ''] = /<tr data-project="acme\/\*".*?href="(\/violations[^"]*)"/.exec(await site.read('/')) ?? []
  expect(await site.read(href.replaceAll('&amp;', '&'))).toContain('role="status">1 violation:')
  const page = textOf(await site.read('/projects/acme/*'))
  expect(page).toContain('opened 1 ( 1 still open )')
})

it('says whose open violations it counts besides those of the projects in its table', async () => {
  const made = await openHistoryFixture({
    fleet: { projects: 2, endpointsPerProject: 1 },
  })
  made.fixture.set({ status: 'inactive' })
  await made.fixture.audit()
  await made.fixture.audit({ only: ['acme/orders'] })
  const expected = { named: ['acme/orders'], isDiscovered: () => false }
  const plan = { ...noPlan, configured: async () => ({ expected, schedules: [], channels: [] }) }
  await using site = await openSiteOver(made, plan)
  const page = textOf(await site.read('/'))
  expect(page).toContain('Besides these projects: 1 open violation of acme/payments, which is no longer audited')
  const { remarks } = await readStatus(site.history, { expected, projects: [], now: 0, dueAfter: () => 1, limit: 9 })
  expect(remarks).toEqual(['Also open: 1 violation of acme/payments, which is no longer audited.'])
})

it('counts what is open of an earlier project apart from the one that has its name now, as the page of that does', async () => {
  const projects: Record<string, string> = {}
  const made = await openHistoryFixture({
    fleet: { projects: 2 },
    harness: { projects },
  })
  const [first = '', second = ''] = made.fixture.fleet.projects().map(({ uid }) => uid)
  projects.payments = first
  made.fixture.set({ status: 'inactive' })
  await made.fixture.audit()
  projects.payments = second
  await made.fixture.audit()
  await using site = await openSiteOver(made)
  const text = textOf(await site.read('/'))
  expect(text).toContain('1 open violation of the earlier acme/payments, which is no longer audited')
  const page = textOf(await site.read('/projects/acme/payments'))
  expect(page).toContain('Open violations 0 None.')
  expect(page).toContain('Open of the earlier acme/payments, which is no longer audited 1')
})

it('counts nowhere as none what the last scan could not check', async () => {
  const made = await openHistoryFixture({
    fleet: { projects: 2, endpointsPerProject: 1 },
  })
  const policy = policyOf('extends: []\nrules: { endpoint/inactive: high }')
  made.fixture.set({ status: 'inactive' })
  await made.fixture.audit({ policy })
  made.fixture.harness.advance(dayMs)
  made.fixture.set({ status: '' })
  await made.fixture.audit({ policy })
  const expected = { named: ['acme/orders'], isDiscovered: () => false }
  const plan = { ...noPlan, configured: async () => ({ expected, schedules: [], channels: [] }) }
  await using site = await openSiteOver(made, plan)
  const overview = textOf(await site.read('/'))
  expect(overview).toContain(
    'Incomplete No open violation of medium or above in what was shown, and 1 violation of medium or above unknown.',
  )
  expect(overview).toContain('? No violation is open in what could be checked; the rest is unknown.')
  expect(overview).not.toContain('oldest open')
  expect(overview).toContain('1 unknown violation of acme/payments, which is no longer audited')
  expect(textOf(await site.read('/violations'))).toContain('? No such violation. What could not be checked is unknown.')
  expect(textOf(await site.read('/violations?severity=high'))).toContain('? Not listed: 1 violation that could not')
  const project = textOf(await site.read('/projects/acme/payments'))
  expect(project).toContain('Open violations ? ? None in what could be checked; the rest is unknown.')
  expect(project).toContain('endpoint/inactive missed 1 endpoint that shows a malformed status')
  const asked = { projects: [], now: 0, dueAfter: () => 1, limit: 9 }
  expect((await readStatus(site.history, { expected, ...asked })).remarks).toEqual([
    'Also unknown: 1 violation of acme/payments, which is no longer audited.',
  ])
  const open = columnsIn(statusView.columns, 'text').find(({ name }) => name === 'open')
  const { rows } = await readStatus(site.history, { expected: undefined, ...asked })
  expect(rows.map((row) => open?.show?.(row))).toEqual(['none', '?'])
})

it('calls nothing open none where a rule could not evaluate everything', async () => {
  const made = await openHistoryFixture({ fleet: { endpointsPerProject: 2 } })
  made.fixture.set({ status: '', owner_id: 'team' })
  await made.fixture.audit({
    policy: policyOf('extends: []\nrules: { endpoint/inactive: {}, endpoint/url-not-https: {} }'),
  })
  await using site = await openSiteOver(made)
  const read = async (path: string) => textOf(await site.read(path))
  const doubted = '? 1 rule could not evaluate everything: endpoint/inactive.'
  for (const path of ['/violations', '/violations?rule=endpoint/*', '/violations?owner=team&group-by=rule']) {
    expect([path, await read(path)]).toEqual([path, expect.stringContaining(doubted)])
    expect([path, await read(path)]).toEqual([
      path,
      expect.stringMatching(/\? No such violation\. What could not be checked is unknown\./),
    ])
  }
  for (const path of ['/violations?rule=endpoint/url-not-https', '/violations?state=resolved']) {
    expect([path, await read(path)]).toEqual([path, expect.stringMatching(/(?<!\? )No such violation\.(?! What)/)])
  }
  expect(await read('/')).toContain('? No violation is open in what could be checked; the rest is unknown.')
  await made.fixture.audit({ policy: policyOf('extends: []\nrules: { endpoint/inactive: {} }') })
  expect(await read('/')).toContain('? The run opened no violation and found no change in what could be checked.')
  expect(await read('/runs/2')).toContain('1 rule could not evaluate everything')
  expect(await read('/projects/acme/payments')).toContain('Open violations ? ? None in what could be')
  expect(await read('/owners/team')).toContain('? No such violation. What could not be checked is unknown.')
})

describe('the verdict on the overview of runs that fail on what is new', () => {
  const policyWith = (more: string) =>
    policyOf(`extends: []\nrules: { endpoint/url-not-https: high, drift/url-host-changed: high }\n${more}`)
  const verdicts = async (site: Awaited<ReturnType<typeof openSiteOver>>, run: number) => {
    const outcome = async (path: string) => /class="verdict (\w+)"/.exec(await site.read(path))?.[1]
    const said = /class="outcome">\w+<\/strong> ([^.]*)/.exec(await site.read(`/?run=${run}`))?.[1]
    return [await outcome(`/?run=${run}`), await outcome(`/runs/${run}`), said]
  }

  it('counts what was opened since the approval, in later runs too', async () => {
    const made = await openHistoryFixture({ fleet: { endpointsPerProject: 2 } })
    const { fixture } = made
    const audit = () => fixture.audit({ policy: policyWith(''), failOn: 'new' })
    await audit()
    fixture.harness.advance(60_000)
    await fixture.approve()
    fixture.harness.advance(dayMs)
    fixture.set({ url: 'http://a.example/hook' })
    await audit()
    fixture.harness.advance(dayMs)
    const { verdict } = await audit()
    await using site = await openSiteOver(made)
    const said = '2 new open violations of medium or above'
    expect([verdict.exit_code, await verdicts(site, 3)]).toEqual([1, ['failed', 'failed', said]])
  })

  it('does not count what follows from a change within a change window', async () => {
    const made = await openHistoryFixture({ fleet: { endpointsPerProject: 2 } })
    const { fixture } = made
    const policy = policyWith("windows: [{ name: always, cron: '0 12 * * *', duration: 1h }]")
    await fixture.audit({ policy, failOn: 'new' })
    fixture.harness.advance(dayMs)
    fixture.set({ url: 'http://a.example/hook' })
    const { verdict } = await fixture.audit({ policy, failOn: 'new' })
    await using site = await openSiteOver(made)
    const said = 'No new open violation of medium or above'
    expect([verdict.exit_code, await verdicts(site, 2)]).toEqual([0, ['passed', 'passed', said]])
  })
})
