import { parse } from 'csv-parse/sync'
import jsonPatch from 'fast-json-patch'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  changeEndpoint,
  createEndpoint,
  createSource,
  deleteEndpoint,
  setEndpointStatus,
  updateSource,
} from '../../src/demo/edits.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Report } from '../../src/model/report.ts'
import { widthOf } from '../../src/model/text/columns.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { refusal } from '../cli/refusal.ts'
import { aStart, aVersion } from '../history/samples.ts'
import { openSiteOver } from '../pages/story-site.ts'
import { type HistoryFixture, openHistoryFixture } from './history-fixture.ts'

const evil = '\x1b]0;owned\x07\x1b[2J\u202eevil\u2066\r\n=1+1'

/**
 * Four runs of one incoming and one outgoing project: a first scan; an endpoint paused, one renamed to a
 * hostile name, one added, one deleted, a source switched off; a scan that breaks off; the paused endpoint active again.
 */
describe('reading commands', () => {
  let historyFixture: HistoryFixture
  let reports: Report[]
  let paused: string
  let renamed: string
  let deleted: string
  let source: string

  beforeAll(async () => {
    historyFixture = await openHistoryFixture({
      fleet: { projects: 2, incomingEvery: 2, endpointsPerProject: 6, sourcesPerProject: 2 },
    })
    const { fixture } = historyFixture
    const { fleet, service } = fixture
    const outgoing = fixture.uidOf('payments')
    const incoming = at(
      fleet.projects().filter(({ uid }) => uid !== outgoing),
      0,
    ).uid
    const { endpoints } = fleet.open(outgoing)
    ;[paused, renamed, deleted] = [at(endpoints, 0).uid, at(endpoints, 1).uid, at(endpoints, 2).uid]
    source = at(fleet.open(incoming).sources, 0).uid
    reports = [await fixture.audit()]
    setEndpointStatus(fleet, { project: outgoing, uid: paused }, 'inactive')
    changeEndpoint(fleet, { project: outgoing, uid: renamed }, (row) => ({ ...row, name: evil, owner_id: '' }))
    deleteEndpoint(fleet, { project: outgoing, uid: deleted })
    createEndpoint(fleet, outgoing, { name: 'new', url: 'https://new.example.com' })
    updateSource(fleet, { project: incoming, uid: source }, { is_disabled: true })
    reports.push(await fixture.audit())
    service.failNext({ how: 'status', status: 400, path: /subscriptions/, times: 1 })
    reports.push(await fixture.audit())
    setEndpointStatus(fleet, { project: outgoing, uid: paused }, 'active')
    reports.push(await fixture.audit())
  })
  afterEach(() => vi.restoreAllMocks())
  afterAll(() => historyFixture[Symbol.asyncDispose]())

  const everything = () => [
    'status --max-age 9999d',
    'runs',
    'violations',
    'violations --resolved',
    'diff 1 2',
    `timeline ${renamed}`,
    `timeline ${source}`,
    'state',
    "query 'SELECT name, uid, body FROM current_resource'",
  ]

  it('answer in all formats, with run and coverage in JSON, and exit with 0', async () => {
    // All at one time, or `status` says that its runs are a second older.
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    for (const line of everything()) {
      const json = await historyFixture.rows(line)
      const [name] = line.split(' ')
      expect(json).toMatchObject({
        schema: expect.stringMatching(`^hookdrift\\.${name}/[0-9]+$`),
        run: { state: 'committed' },
      })
      expect(json.coverage.length).toBeGreaterThan(0)
      expect(json.rows.length).toBeGreaterThan(0)
      const { code, stdout } = await historyFixture.ask(`${line} --format csv`)
      expect(code).toBe(0)
      expect(parse(stdout, { columns: true }).length).toBeGreaterThanOrEqual(json.rows.length)
      // The same question, the same bytes.
      expect((await historyFixture.ask(`${line} --format csv`)).stdout).toBe(stdout)
    }
  })

  it('fit the terminal and contain no control character of a service', async () => {
    const wider = [
      'status --listings --run 3',
      'status --listings',
      'verify',
      'waivers list --acceptances',
      'note --list',
      'waivers list',
    ]
    const asked = [...everything().map((line) => [72, line] as const), ...wider.map((line) => [80, line] as const)]
    for (const [columns, line] of asked) {
      const { code, stdout } = await historyFixture.ask(line, { columns, env: { NO_COLOR: '1' } })
      expect(code).toBe(0)
      expect(stdout).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u)
      const long = stdout.split('\n').filter((one) => widthOf(one) > columns)
      // A word that may be copied, such as an address, stays whole.
      expect(long.filter((one) => one.trim().includes(' '))).toEqual([])
    }
  })

  it('say how many rows --limit omitted, in text, in JSON and next to CSV', async () => {
    const all = await historyFixture.rows('state')
    const left = all.rows.length - 2
    const limited = await historyFixture.rows('state --limit 2')
    expect(limited).toEqual({ ...all, rows: all.rows.slice(0, 2), omitted: left })
    expect((await historyFixture.ask('state --limit 2')).stdout).toContain(`… and ${left} more; --limit all shows them`)
    const { stdout, stderr } = await historyFixture.ask('state --limit 2 --format csv')
    expect(parse(stdout)).toHaveLength(3)
    expect(stderr).toBe(`hookdrift: ${left} more rows omitted; --limit all shows them\n`)
  })

  describe('diff', () => {
    it('of two complete scans equals the drift that the second reported', async () => {
      const { rows, from, not_scanned } = await historyFixture.rows('diff 1 2')
      const drift = at(reports, 1).drift.map(({ project, kind, uid, name, change, fields }) => {
        return { project, kind, uid, name, change, fields }
      })
      expect(drift.map(({ change }) => change).sort()).toContain('removed')
      expect(rows).toEqual(drift)
      expect(from.number).toBe(1)
      expect(not_scanned).toEqual([])
    })

    it('says of the run that is compared with what it did not read', async () => {
      const from = async (run: string) => (await historyFixture.ask(`diff ${run} 4`)).stdout.replace(/\s+/g, ' ')
      expect(await from('3')).toMatch(
        /Run 3 did not read all of acme\/[a-z-]+: the rest is compared as earlier runs knew it\./,
      )
      expect(await from('2')).not.toContain('did not read')
    })

    it('omits changes that were reverted in between', async () => {
      const { rows } = await historyFixture.rows('diff 1 latest')
      expect(rows.map(({ uid }) => uid)).not.toContain(paused)
      expect(rows.map(({ uid }) => uid)).toContain(renamed)
    })

    it('backwards is the same with the sides exchanged', async () => {
      const { rows } = await historyFixture.rows('diff 2 1')
      const there = (await historyFixture.rows('diff 1 2')).rows
      const opposite: Record<string, string> = { added: 'removed', removed: 'added', modified: 'modified' }
      expect(rows.map((row) => [row.uid, row.change])).toEqual(there.map((row) => [row.uid, opposite[row.change]]))
      const swap = ({ path, before, after }: { path: string; before: unknown; after: unknown }) => ({
        path,
        before: after,
        after: before,
      })
      expect(rows.flatMap(({ fields }) => fields)).toEqual(there.flatMap(({ fields }) => fields.map(swap)))
    })

    it('as RFC 6902 transforms one state into the other, in another program', async () => {
      for (const [from, to] of [
        ['1', '2'],
        ['2', '4'],
        ['4', '1'],
      ] as const) {
        const patched = (await historyFixture.rows(`diff ${from} ${to} --patch`)).rows
        const statesOf = async (run: string) => {
          const { rows } = await historyFixture.rows(`state --at ${run}`)
          return new Map<string, unknown>(rows.map((row) => [`${row.project} ${row.kind} ${row.uid}`, row.attributes]))
        }
        const [before, after] = [await statesOf(from), await statesOf(to)]
        for (const { project, kind, uid, patch } of patched) {
          const id = `${project} ${kind} ${uid}`
          const { newDocument } = jsonPatch.applyPatch(structuredClone(before.get(id) ?? null), patch, true)
          if (newDocument === null) before.delete(id)
          else before.set(id, newDocument)
        }
        expect(patched.length).toBeGreaterThan(0)
        expect(Object.fromEntries(before)).toEqual(Object.fromEntries(after))
      }
      const { stdout } = await historyFixture.ask('diff 1 2 --format rfc6902')
      expect(JSON.parse(stdout)).toEqual(await historyFixture.rows('diff 1 2 --patch'))
    })

    it('has a record for each field as CSV, and the values of both sides', async () => {
      const { stdout } = await historyFixture.ask('diff 1 2 --format csv --kind source')
      expect(stdout).toContain(`,source,${source},`)
      expect(stdout.trimEnd().split('\r\n').at(-1)).toMatch(/,modified,\/is_disabled,false,true$/)
    })
  })

  it('list violations of the last report, and those resolved since', async () => {
    const last = at(reports, 3)
    const { rows } = await historyFixture.rows('violations')
    expect(rows).toEqual(last.violations.filter(({ state }) => state !== 'resolved'))
    const { rows: resolved } = await historyFixture.rows('violations --resolved --since 2')
    expect(resolved).toContainEqual(
      expect.objectContaining({
        rule: 'endpoint/inactive',
        uid: paused,
        resolution: 'fixed',
        resolved_at: last.run.started_at,
      }),
    )
    expect(rows.every((row) => row.resolution === null)).toBe(true)
    const { rows: chosen } = await historyFixture.rows('violations --open --rule source/* --severity medium --since 2')
    expect(chosen.map((row) => [row.rule, row.uid])).toEqual([['source/disabled', source]])
    expect((await historyFixture.rows('violations --waived')).rows).toEqual([])
  })

  it('keep of a timeline the latest, in the order of time', async () => {
    const all = await historyFixture.rows(`timeline ${paused}`)
    const limited = await historyFixture.rows(`timeline ${paused} --limit 2`)
    expect(limited).toEqual({ ...all, rows: all.rows.slice(-2), omitted: all.rows.length - 2 })
    expect((await historyFixture.ask(`timeline ${paused} --limit 2`)).stdout).toContain(
      `… and ${all.rows.length - 2} earlier; --limit all shows them`,
    )
  })

  it('list in a timeline what was seen, changed, opened and resolved, and who refers to it', async () => {
    const { rows, resources } = await historyFixture.rows(`timeline ${paused}`)
    const lineOf = (row: {
      run: number
      change: string
      fields: unknown[]
      violations: { rule: string; state: string }[]
    }) => {
      const turns = row.violations.filter(({ rule }) => rule === 'endpoint/inactive').map(({ state }) => state)
      return [row.run, row.change, row.fields, turns]
    }
    const status = (before: string, after: string) => [{ path: '/status', before, after }]
    expect(rows.map(lineOf)).toEqual([
      [1, 'first_seen', [], []],
      [2, 'modified', status('active', 'inactive'), ['opened']],
      [4, 'modified', status('inactive', 'active'), ['resolved']],
    ])
    expect(resources).toMatchObject([
      { kind: 'endpoint', uid: paused, referrers: [{ kind: 'subscription', from_run: 1, to_run: null }] },
    ])
    const end = (await historyFixture.rows(`timeline ${deleted}`)).rows.map(({ run, change }) => [run, change])
    expect(end).toEqual([
      [1, 'first_seen'],
      [2, 'removed'],
    ])
  })

  it('show the state of an earlier run, with resources that an incomplete scan did not reach', async () => {
    const uidsAt = async (run: string, ...more: string[]) =>
      (await historyFixture.rows(['state', '--at', run, ...more])).rows.map(({ uid }) => uid)
    expect(await uidsAt('1')).toContain(deleted)
    expect(await uidsAt('2')).not.toContain(deleted)
    const { rows, coverage } = await historyFixture.rows('state --at 3')
    expect(rows.length).toBe((await uidsAt('2')).length)
    expect(coverage.map(({ status }) => status)).toContain('failed')
    expect(await uidsAt('2', '--kind', 'source', '--project', 'acme/*')).toContain(source)
    const { stdout } = await historyFixture.ask('state --at 3')
    expect(stdout).toMatch(/^INCOMPLETE SCAN: 1 of \d+ listings not complete\.$/m)
  })

  it('list runs, also an interrupted one, and the last committed one while another is written', async () => {
    const { file, owner } = historyFixture.fixture.harness
    const history = openSqliteHistory(file, owner)
    const before = await historyFixture.rows('state')
    const killed = await history.begin(aStart('2026-11-22T00:00:00.000Z'))
    await killed.abandon('2026-11-22T00:01:00.000Z')
    const draft = await history.begin(aStart('2026-11-22T01:00:00.000Z'))
    const project = { name: 'acme/payments', service: 'acme', uid: historyFixture.fixture.uidOf('payments') }
    await draft.stage(project, [aVersion('of-the-draft')])
    const { rows, run } = await historyFixture.rows('runs')
    expect(run.number).toBe(4)
    expect(rows.map((row) => [row.number, row.state, row.exit_code])).toEqual([
      [5, 'interrupted', null],
      ...reports.map((report) => [report.run.number, 'committed', report.verdict.exit_code]).reverse(),
    ])
    expect(await historyFixture.rows('state')).toEqual(before)
    await draft.abandon('2026-11-22T01:01:00.000Z')
    await history.close()
  })

  it.each([
    ['timeline nowhere', /the history up to run 4 has no resource "nowhere"$/m],
    ['timeline nowhere --project payments --kind source', /has no resource "nowhere" in payments source$/m],
    ['diff 1 99', /there is no committed run 99; the history has runs 1/],
    ['diff "last week"', /"last week" is not a run or a time/],
    ['state --at 2026-02-31', /"2026-02-31" is not a valid time/],
    ['state --project nowhere', /--project nowhere matches none of acme\//],
    ['violations --since x', /"x" is not a run or a time/],
    ['violations --since 9999-01-01', /9999-01-01 is in the future of 20/],
    ['violations --severity bad', /Allowed choices are critical/],
    ['runs --limit 0', /Expected a number from 1, or all/],
    ['state --kind thing', /Allowed choices are project/],
    ['status --max-age long', /Expected a duration/],
    ['violations --rule endpoint/secret-waek', /no rule "endpoint\/secret-waek", did you mean endpoint\/secret-weak\?/],
    ['query', /no query given/],
    ['query --views "SELECT 1"', /--views describes the views, and runs no query/],
    ['query "DELETE FROM run"', /refused: it begins with DELETE/],
  ])('exit with 2 and a message for %j', async (line, message) => {
    expect(await historyFixture.ask(line)).toEqual(refusal(message))
  })
})

it('says of what could not be checked that it is left out of what is open', async () => {
  await using history = await openHistoryFixture({
    fleet: { clean: true, projects: 1, incomingEvery: 0, endpointsPerProject: 1 },
  })
  const policy = policyOf('extends: []\nrules: { endpoint/inactive: high, endpoint/url-not-https: high }')
  history.fixture.set({ status: 'inactive' })
  await history.fixture.audit({ policy })
  history.fixture.set({ status: '' })
  await history.fixture.audit({ policy })
  const doubted = '1 rule could not evaluate everything: endpoint/inactive.'
  const left = 'Not listed: 1 violation that could not be checked (`--unknown`).'
  const asked = async (...args: string[]) => {
    const { stdout, stderr } = await history.ask(['violations', ...args])
    return { said: stdout.replace(/\s+/g, ' '), stderr }
  }
  const open = await asked('--open')
  expect(open.said).toContain(left)
  expect(open.said).toContain(doubted)
  expect((await asked('--open', '--format', 'csv')).stderr).toContain(left)
  expect((await asked()).said).not.toContain('Not listed')
  const { unevaluated } = await history.rows('violations --open')
  expect(unevaluated).toEqual([
    { rule: 'endpoint/inactive', projects: 1, reason: expect.stringContaining('missed 1 endpoint that shows a') },
  ])
  const other = await asked('--open', '--rule', 'endpoint/url-not-https')
  expect(other.said).toContain('Scanned acme/payments completely. No such violation.')
  const report = await history.ask('report')
  expect(report.stdout.replace(/\s+/g, ' ')).toMatch(
    /endpoint\/inactive missed 1 endpoint that shows a malformed status since run 2 \([^)]*\) \(acme\/payments\)\./,
  )
  history.fixture.set({ status: 'active' })
  await history.fixture.audit({ policy: policyOf('extends: []\nrules: { endpoint/inactive: high }') })
  const status = async () => (await history.ask('status')).stdout.replace(/\s+/g, ' ')
  expect(await status()).toMatch(/complete none 0 $/)
  history.fixture.set({ status: '' })
  await history.fixture.audit({ policy })
  expect(await status()).toMatch(
    /complete \? 0 1 rule could not evaluate everything: `hookdrift report[^`]*` says why $/,
  )
  expect((await history.rows('status --run 4')).rows).toEqual([expect.objectContaining({ unknown: 0, unevaluated: 1 })])
})

it('compares no resource that the earlier run could not have shown, as if it were new or gone', async () => {
  const options = { incomingEvery: 1, endpointsPerProject: 4, sourcesPerProject: 4 }
  await using history = await openHistoryFixture({ fleet: { ...options, projects: 1 } })
  const { fixture } = history
  const project = at(fixture.fleet.projects(), 0).uid
  const { endpoints } = fixture.fleet.open(project)
  const owner_id = at(endpoints, 0).owner_id ?? ''
  const hidden = endpoints.filter((endpoint) => endpoint.owner_id !== owner_id).length
  createSource(fixture.fleet, project, { name: 'unused' })
  const narrowed = { filters: { endpoints: { owner: owner_id } }, listings: { sources: 'off' } } as const
  await fixture.audit(narrowed)
  await fixture.audit()
  createEndpoint(fixture.fleet, project, { name: 'new', url: 'https://new.example.com', owner_id })
  await fixture.audit(narrowed)
  const diff = async (from: string, to: string) => {
    const { rows, not_scanned } = await history.rows(`diff ${from} ${to}`)
    return {
      rows: rows.map(({ name, change }) => [name, change]),
      not_scanned: not_scanned.map(({ kind, resources }: { kind: string; resources: number }) => [kind, resources]),
    }
  }
  const unshown = [
    ['endpoint', hidden],
    ['source', 1],
  ]
  expect(await diff('1', '2')).toEqual({ rows: [], not_scanned: unshown })
  expect(await diff('2', '1')).toEqual({ rows: [], not_scanned: unshown })
  expect(await diff('2', '3')).toEqual({ rows: [['new', 'added']], not_scanned: [] })
})

it('calls no settings equal that the last scans did not read', async () => {
  const options = { projects: 2, incomingEvery: 0, endpointsPerProject: 2 }
  await using history = await openHistoryFixture({ fleet: options })
  const { fixture } = history
  await fixture.audit()
  const compare = ['compare', 'payments', 'orders', '--kind', 'project']
  expect(await history.ask(compare)).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing differs.') })
  fixture.service.failNext({ how: 'status', status: 404, path: /projects\/[^/?]*$/, times: 2 })
  expect((await fixture.audit()).verdict.exit_code).toBe(0)
  const { code, stdout } = await history.ask(compare)
  expect(code).toBe(3)
  for (const name of ['payments', 'orders']) {
    expect(stdout).toContain(`UNKNOWN: the settings of acme/${name}: run 2 did not read the settings.`)
  }
})

it('says of a kind that no walk lists that it is not listed, and not that there is none', async () => {
  const history = await openHistoryFixture({ fleet: { clean: true, incomingEvery: 0, endpointsPerProject: 1 } })
  await history.fixture.audit()
  const said = 'Not listed: every event_type of acme/payments. The configuration does not request it'
  const asked = async (kind: string, ...args: string[]) => history.ask(['state', '--kind', kind, ...args])
  expect((await asked('event_type')).stdout.replace(/\s+/g, ' ')).toContain(said)
  expect((await asked('event_type', '--format', 'csv')).stderr.replace(/\s+/g, ' ')).toContain(said)
  for (const kind of ['source', 'device', 'probe']) expect((await asked(kind)).stdout).not.toContain('Not listed')
  await using site = await openSiteOver(history)
  const page = (await site.read('/resources?kind=event_type')).replace(/<[^>]*>/g, ' ')
  expect(page).toContain(`? ${said}`)
  expect(page).toContain('? No such resource.')
})
