import { assert, beforeAll, expect, it } from 'vitest'
import { approvalsOf } from '../../src/audit/approve-run.ts'
import { changeData, changeEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import { findLastRun } from '../../src/history/sql/runs.ts'
import type { Report } from '../../src/model/report.ts'
import { hourMs } from '../../src/model/time.ts'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import { readMessage } from '../../src/notify/message.ts'
import { plainLine, showMessage } from '../../src/notify/show-message.ts'
import { readAcceptable } from '../../src/questions/acceptances.ts'
import { formats } from '../../src/report/formats.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openSiteOver } from '../pages/story-site.ts'
import { openHistoryFixture } from './history-fixture.ts'

const rules = `extends: []
rules:
  drift/authentication-lost: {}
  drift/url-host-changed: { open_for: 3h }
  endpoint/inactive: {}
  endpoint/url-not-https: {}
`
const endpoints = ['wiped', 'moved', 'accepted', 'excepted', 'mended', 'insecure', 'waived', 'gone'] as const
type Name = (typeof endpoints)[number]

/**
 * A project of which one endpoint is mended: an authentication stays wiped and a baseline is approved over it, a
 * person accepts a violation, an override and a rule that is off end others, one expires and one is waived.
 */
async function openStory() {
  const story = await openHistoryFixture({
    fleet: { clean: true, projects: 1, incomingEvery: 0, endpointsPerProject: 8 },
  })
  const { fixture } = story
  const { fleet, harness } = fixture
  const project = at(fleet.projects(), 0).uid
  changeData(fleet, project, (data) => ({ ...data, subscriptions: [] }))
  const uidOf = (name: Name) => at(fleet.open(project).endpoints, endpoints.indexOf(name)).uid
  for (const name of endpoints)
    changeEndpoint(fleet, { project, uid: uidOf(name) }, (row) => ({
      ...row,
      name,
      url: `https://${name}.example/in`,
      status: 'active',
      authentication: { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: 'not-a-real-key' } },
    }))
  const waiver = `waivers: [{ rule: endpoint/inactive, match: { uid: ${uidOf('waived')} }, owner: payments, reason: it moves, expires: 2026-12-20 }]\n`
  const exception = `overrides:\n  - match: { uid: ${uidOf('excepted')} }\n    rules: { endpoint/inactive: off }\n`
  const windows = `windows: [{ name: nightly, cron: '0 * * * *', duration: 30m, ticket: CHG-1 }, { name: weekly, cron: '30 2 * * 0', timezone: Europe/Berlin, duration: 90m, projects: [acme/p*] }, { name: elsewhere, cron: '0 3 * * *', duration: 1h, projects: [acme/none] }]\n`
  const now = () => new Date(harness.clock.now()).toISOString()
  const messages: string[] = []
  const audit = async (policy: string) => {
    harness.advance(hourMs)
    const compose = composeRunNotifications([{ name: 'hook', type: 'webhook', url: '', secret: '' } as never])
    return fixture.audit({
      policy: policyOf(policy),
      failOn: 'medium',
      compose: (record, before) => {
        const composed = compose?.(record, before) ?? []
        if (composed !== 'later') messages.push(...composed.map(({ body }) => body))
        return composed
      },
    })
  }
  await audit(rules + waiver)
  changeEndpoint(fleet, { project, uid: uidOf('wiped') }, (row) => ({ ...row, authentication: null }))
  changeEndpoint(fleet, { project, uid: uidOf('moved') }, (row) => ({ ...row, url: 'https://elsewhere.example/in' }))
  changeEndpoint(fleet, { project, uid: uidOf('insecure') }, (row) => ({ ...row, url: 'http://insecure.example/in' }))
  for (const name of ['accepted', 'excepted', 'mended', 'waived'] as const)
    setEndpointStatus(fleet, { project, uid: uidOf(name) }, 'inactive')
  await audit(rules + waiver)
  await harness.withHistory(async (history) => {
    const found = (await readAcceptable(history)).filter(({ uid }) => uid === uidOf('accepted'))
    const { scanned, fingerprint, rule, kind, uid, path } = at(found, 0)
    const signed = { reason: 'the receiver moved', by: 'nora', at: now() }
    await history.accept([{ project: scanned, fingerprint, rule, kind, uid, path, valueDigest: null, ...signed }])
  })
  harness.advance(3 * hourMs)
  const unmended = await audit(rules + waiver)
  await harness.withHistory(async (history) => {
    const run = await findLastRun(history)
    assert(run, 'there are runs')
    await history.approve(await approvalsOf(history, run, () => true, { by: 'eve', at: now(), note: 'looks fine' }))
  })
  setEndpointStatus(fleet, { project, uid: uidOf('mended') }, 'active')
  const last = await audit(
    rules.replace('  endpoint/url-not-https: {}', '  endpoint/url-not-https: off') + exception + waiver + windows,
  )
  return { ...story, unmended, last, uidOf, messages }
}

/** Of the last policy: the rule that is off, and the line of the override. */
const [ruleLine, overrideLine] = [6, 9]

let story: Awaited<ReturnType<typeof openStory>>
beforeAll(async () => {
  story = await openStory()
  return () => story[Symbol.asyncDispose]()
}, 60_000)

const endingsIn = ({ violations }: Report) =>
  Object.fromEntries(
    violations.flatMap(({ name, state, resolution, ended_by }) =>
      state === 'resolved' ? [[name, { resolution, ended_by }]] : [],
    ),
  )
const noOne = { by: null, reason: null, at: null, run: null, configured_at: null }

it('keeps with each violation that is not mended who or what ended it', () => {
  expect(endingsIn(story.unmended)).toEqual({
    accepted: {
      resolution: 'accepted',
      ended_by: { ...noOne, kind: 'acceptance', by: 'nora', reason: 'the receiver moved', at: expect.any(String) },
    },
    moved: {
      resolution: 'expired',
      ended_by: {
        ...noOne,
        kind: 'expiry',
        reason: 'not put back within 3 h',
        configured_at: { file: 'policy.yaml', line: 4 },
      },
    },
  })
  expect(endingsIn(story.last)).toEqual({
    wiped: {
      resolution: 'accepted',
      ended_by: { ...noOne, kind: 'baseline', by: 'eve', reason: 'looks fine', at: expect.any(String), run: 3 },
    },
    excepted: {
      resolution: 'policy',
      ended_by: { ...noOne, kind: 'override', configured_at: { file: 'policy.yaml', line: overrideLine } },
    },
    insecure: {
      resolution: 'policy',
      ended_by: { ...noOne, kind: 'rule_off', configured_at: { file: 'policy.yaml', line: ruleLine } },
    },
    mended: { resolution: 'fixed', ended_by: null },
  })
  expect(story.last.violations.map(({ state, name }) => `${state} ${name}`)).toContain('waived waived')
})

it('lists every decision: who, what, why, from when, until when, and where it is written', async () => {
  const { rows } = await story.rows('waivers list')
  const none = { by: null, reason: null, at: null, until: null, run: null, match: null, configured_at: null }
  const at = expect.stringMatching(/^2026-/)
  const lineAt = (line: number) => ({ file: 'policy.yaml', line })
  const ofProject = { projects: ['acme/payments'], state: 'in_force' }
  expect(rows).toHaveLength(8)
  for (const row of [
    {
      ...{ ...none, kind: 'waiver', by: 'payments', reason: 'it moves', until: '2026-12-21T00:00:00.000Z' },
      ...{ violations: 1, configured_at: { file: 'policy.yaml', line: expect.any(Number) } },
    },
    {
      ...none,
      kind: 'acceptance',
      by: 'nora',
      reason: 'the receiver moved',
      at,
      match: 'endpoint accepted',
      ...ofProject,
    },
    { ...none, kind: 'baseline', rule: null, by: 'eve', reason: 'looks fine', at, run: 3, ...ofProject },
    { ...none, kind: 'rule_off', rule: 'endpoint/url-not-https', configured_at: lineAt(ruleLine), projects: [] },
    {
      ...none,
      kind: 'override',
      match: expect.any(String),
      reason: 'switched off',
      configured_at: lineAt(overrideLine),
    },
    {
      ...none,
      kind: 'window',
      rule: null,
      reason: 'nightly',
      ticket: 'CHG-1',
      at,
      until: at,
      projects: ['acme/payments'],
    },
    {
      ...none,
      kind: 'window',
      rule: null,
      reason: 'weekly: 30 2 * * 0 (Europe/Berlin), open for 90m',
      ticket: null,
      projects: ['acme/payments'],
    },
    { ...none, kind: 'window', rule: null, reason: 'nightly: 0 * * * * (UTC), open for 30m', ticket: 'CHG-1' },
  ])
    expect(rows).toContainEqual(expect.objectContaining(row))
  const { stdout } = await story.ask('waivers list', { columns: 400 })
  for (const words of [
    /waived by payments until the end of 2026-12-20: it moves \(policy.yaml:\d+\)/i,
    /accepted for endpoint accepted by nora on .* UTC: the receiver moved/i,
    /approved with the baseline of run 3 by eve on .* UTC: looks fine/i,
    /switched off by policy.yaml:6$/im,
    /switched off by an override \(policy.yaml:9\) for /i,
    /changes expected from .* until .*: nightly \(CHG-1\)/i,
    /changes expected: nightly: 0 \* \* \* \* \(UTC\), open for 30m \(CHG-1\)$/im,
    /changes expected: weekly: 30 2 \* \* 0 \(Europe\/Berlin\), open for 90m$/im,
  ])
    expect(stdout).toMatch(words)
})

/** Of the text of a page: what people read. */
const readable = (page: string) => page.replace(/<(style|script)[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' ')
interface SarifResult {
  readonly baselineState: string
  readonly properties: { readonly name: string }
}
const plain = { colour: false, width: 400, full: true }
const mended = /\b(resolved|fixed)\b/i

it.each(['text', 'markdown', 'html'] as const)(
  'calls nothing mended in a %s report, and names who and why',
  async (name) => {
    const format = await formats[name].load()
    const [first, last] = [readable(format(story.unmended, plain)), readable(format(story.last, plain))]
    // A table of counts has a column for what was fixed: there is nothing in it.
    expect(first.replace(/ fixed (?=\||\s+ended otherwise)/, '')).not.toMatch(mended)
    expect(first).toContain('nora')
    expect(first).toContain('the receiver moved')
    expect(first).toContain('not put back within 3 h')
    expect(last).toContain('the baseline of run 3 by eve')
    expect(last).toContain('looks fine')
    expect(last).toContain(`policy.yaml:${overrideLine}`)
    expect(last).toContain(`policy.yaml:${ruleLine}`)
    expect(last).toMatch(/accepted by payments|waived by payments/i)
  },
)

it('counts each ending once in the text report: an acceptance of this run is not listed again', async () => {
  const format = await formats.text.load()
  expect(format(story.unmended, plain)).toContain(
    'Ended: 2 (1 accepted by nora: the receiver moved, 1 expired by policy.yaml:4: not put back within 3 h)',
  )
  expect(format(story.unmended, plain)).not.toContain('Accepted before')
  expect(format(story.last, plain)).toContain('Accepted before: 1 violation, by people')
  for (const name of ['wiped', 'excepted', 'insecure', 'mended'])
    expect(format(story.last, plain)).toContain(`"${name}"`)
})

it('names who and why in CSV, SARIF, OCSF and, by control, OSCAL, and calls only what is gone absent or passed', async () => {
  const [csv, sarif, ocsf] = await Promise.all(
    (['csv', 'sarif', 'ocsf'] as const).map(async (name) => (await formats[name].load())(story.last, plain)),
  )
  const sentence = /approved with the baseline of run 3 by eve on \S+ \S+ UTC: looks fine/
  const oscal = await story.ask('report --framework soc2 --format oscal')
  for (const text of [csv, sarif, ocsf]) expect(text).toMatch(sentence)
  expect(oscal.stdout).toMatch(/accepted by nora on \S+ \S+ UTC: the receiver moved/)
  const results = JSON.parse(sarif ?? '').runs[0].results as SarifResult[]
  const stateOf = (name: Name) => results.find((one) => one.properties.name === name)
  expect(stateOf('mended')?.baselineState).toBe('absent')
  expect(stateOf('wiped')).toMatchObject({ baselineState: 'unchanged', suppressions: [{ status: 'accepted' }] })
  expect(stateOf('excepted')?.baselineState).toBe('unchanged')
  const events = (ocsf ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const closed = events.filter((event) => event.activity_name === 'Close')
  expect(closed.filter((event) => event.status === 'Resolved').map((event) => event.resources[0].uid)).toEqual([
    story.uidOf('mended'),
  ])
})

it('says endings on the command line: violations, the timeline, the report as JSON', async () => {
  const listed = await story.ask('violations --resolved', { columns: 400 })
  expect(listed.stdout).toMatch(/approved with the baseline of run 3 by eve on .* UTC: looks fine/)
  expect(listed.stdout).toMatch(/accepted by nora on .* UTC: the receiver moved/)
  expect(listed.stdout.match(/\bfixed\b/g)).toHaveLength(1)
  expect(listed.stdout).not.toMatch(/\bresolved\b/)
  const csv = await story.ask('violations --resolved --format csv')
  expect(csv.stdout.split('\r\n')[0]).toContain(',resolution,ended_by,')
  expect(csv.stdout).toContain(`switched off by an override (policy.yaml:${overrideLine})`)
  const { stdout } = await story.ask(`timeline ${story.uidOf('wiped')}`, { columns: 400 })
  expect(stdout).toMatch(/ended \(approved with the baseline of run 3 by eve on .* UTC: looks fine\): high/)
  expect(stdout).not.toMatch(mended)
  const { rows } = await story.rows(`timeline ${story.uidOf('wiped')}`)
  expect(rows.at(-1).violations).toMatchObject([
    { state: 'resolved', resolution: 'accepted', ended_by: { kind: 'baseline', by: 'eve', run: 3 } },
  ])
  const fixedOne = await story.ask(`timeline ${story.uidOf('mended')}`)
  expect(fixedOne.stdout).toMatch(/^ {4}fixed: /m)
})

it('counts as fixed in the trend only what was fixed', async () => {
  const { severities, rows } = await story.rows('trend')
  expect((severities as typeof rows).reduce((sum, { fixed }) => sum + fixed, 0)).toBe(1)
  expect(rows.reduce((sum, { fixed }) => sum + fixed, 0)).toBe(1)
})

it('is asked in a view: who ended what, and why', async () => {
  const { rows } = await story.rows(
    "query 'SELECT name, project, resolution, ended_kind, ended_person, ended_reason FROM violation_history ORDER BY name'",
  )
  expect(rows.map(({ project: _, ...row }) => Object.values(row))).toEqual([
    ['accepted', 'accepted', 'acceptance', 'nora', 'the receiver moved'],
    ['excepted', 'policy', 'override', null, null],
    ['insecure', 'policy', 'rule_off', null, null],
    ['mended', 'fixed', null, null, null],
    ['moved', 'expired', 'expiry', null, 'not put back within 3 h'],
    ['wiped', 'accepted', 'baseline', 'eve', 'looks fine'],
  ])
})

it('is said in notifications, in words and in members', () => {
  const events = story.messages.map(readMessage).flatMap((message) => message.events)
  const ended = events.filter(({ resolution }) => resolution !== undefined)
  expect(ended.filter(({ type }) => type === 'violation.resolved').map(({ name }) => name)).toEqual(['mended'])
  expect(ended.find(({ name }) => name === 'wiped')).toMatchObject({
    type: 'violation.closed',
    ended_by: { kind: 'baseline', by: 'eve', reason: 'looks fine', run: 3 },
  })
  const said = story.messages.flatMap((body) => showMessage(readMessage(body))).map((line) => plainLine(line))
  expect(said).toContainEqual(expect.stringMatching(/^Approved with the baseline of run 3 by eve on .*: looks fine$/))
  expect(said).toContainEqual(expect.stringMatching(/^Accepted by nora on .*: the receiver moved$/))
  expect(said.join('\n')).toContain(`switched off by an override (policy.yaml:${overrideLine})`)
  expect(said.filter((line) => /\bresolved\b/i.test(line))).toEqual([])
})

it('is said on the pages: of a violation, of its resource, in the list, the feed and the overview', async () => {
  const site = await openSiteOver(story)
  const fingerprint = story.last.violations.find(({ name }) => name === 'wiped')?.fingerprint
  const page = async (path: string) => readable(await (await site.get(path)).text())
  const approved = /approved with the baseline of run 3 by eve on .* UTC: looks fine/i
  expect(await page(`/violations/${fingerprint}`)).toMatch(approved)
  expect(await page(`/violations/${fingerprint}`)).not.toMatch(mended)
  expect(await page(`/resources/${story.uidOf('wiped')}`)).toMatch(approved)
  expect(await page(`/resources/${story.uidOf('wiped')}`)).not.toMatch(mended)
  expect(await page('/violations?state=resolved')).toMatch(approved)
  expect(await page('/feed.atom')).toMatch(approved)
  expect(await page('/')).toMatch(/ended otherwise/)
})
