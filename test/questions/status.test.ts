import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { readStatus, type StatusQuery } from '../../src/questions/status.ts'
import { refusal } from '../cli/refusal.ts'
import { command } from '../cli/run-in-process.ts'
import { startHookdrift } from '../cli/start-process.ts'
import { type HistoryFixture, openHistoryFixture } from './history-fixture.ts'

const hourMs = 3_600_000

describe('status', () => {
  let historyFixture: HistoryFixture
  let start: number

  beforeAll(async () => {
    historyFixture = await openHistoryFixture({ fleet: { projects: 2, incomingEvery: 0, endpointsPerProject: 3 } })
    const { fixture } = historyFixture
    start = Date.parse((await fixture.audit()).run.finished_at)
    fixture.harness.advance(hourMs)
    fixture.service.failNext({ how: 'status', status: 400, path: /subscriptions/, times: 2 })
    await fixture.audit({ only: ['acme/payments'] })
  })
  afterAll(() => historyFixture[Symbol.asyncDispose]())

  async function states(hoursLater: number, asked: Partial<StatusQuery> = {}) {
    const { file, owner } = historyFixture.fixture.harness
    const history = openSqliteHistory(file, owner)
    const now = start + hoursLater * hourMs
    const options = {
      expected: undefined,
      projects: [],
      now,
      dueAfter: (_: string, ms: number) => ms + 3 * hourMs,
      limit: 100,
      ...asked,
    }
    const { rows } = await readStatus(history, options)
    await history.close()
    return rows.map(({ project, run, complete, stale, reason }) => [project, run, complete, stale, reason])
  }

  it('shows the last run of each project, and exits with 1 when it is too old', async () => {
    expect(await states(2)).toEqual([
      ['acme/orders', 1, true, false, null],
      ['acme/payments', 2, false, false, null],
    ])
    expect(await states(3.5)).toEqual([
      ['acme/orders', 1, true, true, 'not scanned for too long'],
      ['acme/payments', 2, false, false, null],
    ])
  })

  it('has no negative age where the clock of the run was ahead', async () => {
    const { file, owner } = historyFixture.fixture.harness
    const history = openSqliteHistory(file, owner)
    const now = start - hourMs
    const { rows } = await readStatus(history, {
      expected: undefined,
      projects: [],
      now,
      dueAfter: (_, ms) => ms,
      limit: 100,
    })
    await history.close()
    expect(rows.map(({ age_s }) => age_s)).toEqual([0, 0])
  })

  it('exits with 1, too, when scans have been incomplete for too long', async () => {
    const { fixture } = historyFixture
    fixture.harness.advance(4 * hourMs)
    fixture.service.failNext({ how: 'status', status: 400, path: /subscriptions/, times: 2 })
    await fixture.audit({ only: ['acme/payments'] })
    expect(await states(5.5, { projects: ['payments'] })).toEqual([
      ['acme/payments', 3, false, true, 'no complete scan for too long'],
    ])
  })

  it('reports configured projects without a scan, and omits projects that are no longer configured', async () => {
    expect(await states(0, { expected: { named: ['acme/orders', 'acme/new'], isDiscovered: () => false } })).toEqual([
      ['acme/new', null, false, true, 'never scanned'],
      ['acme/orders', 1, true, false, null],
    ])
  })

  it('needs the path of the history and no key, and reads the projects from a configuration next to it', async () => {
    const { directory, file } = historyFixture.fixture.harness
    const bare = await startHookdrift('status --max-age 9999d', {
      cwd: directory,
      env: { HOOKDRIFT_HISTORY: file },
    }).ended
    expect(bare).toMatchObject({ code: 0, stderr: '' })
    const projects = '    projects: [{ id: a, name: orders }, { id: later }]\n'
    const config = historyFixture.write(
      'other.yaml',
      `history: \${HERE:-./hookdrift.db}\nservices:\n  - name: acme\n    url: \${NO_URL}\n    key: \${NO_KEY}\n${projects}`,
    )
    const ask = (...args: string[]) =>
      command(['status', '--config', config, '--max-age', '9999d', ...args], { cwd: '/' })
    const reasons = JSON.parse((await ask('--format', 'json')).stdout).rows.map(
      ({ project, reason }: Record<string, string>) => [project, reason],
    )
    expect(reasons).toEqual([
      ['acme/later', 'never scanned'],
      ['acme/orders', null],
    ])
    const codes = [
      await ask(),
      await ask('--format', 'csv'),
      await ask('--project', 'later'),
      await ask('--project', 'orders'),
    ]
    expect(codes.map(({ code }) => code)).toEqual([1, 1, 1, 0])
    expect(codes[0]?.stdout).toMatch(/^acme\/later {3}STALE: never scanned .*\nacme\/orders {2}current/m)
  })

  it('reads the due times from the schedules, and prefers --max-age', async () => {
    const write = (cron: string, project: string) =>
      historyFixture.write(
        'planned.yaml',
        `schedules: [{ name: s, cron: "${cron}", projects: ["${project}"], run_timeout: 1s }]\nservices: [{ name: acme, url: https://a.example, projects: [{ id: orders }] }]\n`,
      )
    const { directory, file } = historyFixture.fixture.harness
    const env = { HOOKDRIFT_HISTORY: file }
    const ask = async (config: string, ...more: string[]) => {
      const { stdout } = await command(['status', '--config', config, '--format', 'json', ...more], {
        cwd: directory,
        env,
      })
      return JSON.parse(stdout).rows
    }
    // Due once a year, in a minute that the tests do not wait for.
    const [yearly] = await ask(write('0 0 1 1 *', 'acme/*'))
    const due = Date.UTC(new Date(Date.parse(yearly.at)).getUTCFullYear() + 1, 0, 1) + 1000
    expect(yearly.stale).toBe(Date.now() > due)
    expect((await ask(write('0 0 1 1 *', 'acme/*'), '--max-age', '9999d'))[0].stale).toBe(false)
    expect(await command(`status --config ${write('61 * * * *', '*')}`, { cwd: directory, env })).toEqual(
      refusal(/schedule.*61 \* \* \* \*/),
    )
  })

  it.each([
    [
      'a schedule',
      'schedules: [{ name: s, crn: "0 * * * *" }]\nservices: [{ name: acme, projects: [{ id: orders }] }]',
    ],
    ['the list of projects', 'services: [{ name: acme, projets: [{ id: orders }] }]'],
    ['a project', 'services: [{ name: acme, projects: [{ id: orders }, { ids: payments }] }]'],
    ['a pattern', 'services: [{ name: acme, projects: [{ id: orders }, { match: 7 }] }]'],
    ['a service', 'services: [{ nam: acme, projects: [{ id: orders }] }]'],
  ])('is refused where %s of the configuration cannot be read: what is expected is unknown', async (_, text) => {
    const { directory, file } = historyFixture.fixture.harness
    const config = historyFixture.write('faulty.yaml', `${text}\n`)
    expect(await command(`status --config ${config}`, { cwd: directory, env: { HOOKDRIFT_HISTORY: file } })).toEqual(
      refusal(/cannot be read\n +`hookdrift doctor .*--offline/),
    )
    // What needs no project goes on.
    expect((await command(`runs --config ${config}`, { cwd: directory, env: { HOOKDRIFT_HISTORY: file } })).code).toBe(
      0,
    )
  })

  it('says what is wrong without a history or configuration, or with an unset path', async () => {
    const cwd = historyFixture.fixture.harness.directory
    expect(await command('status --history nowhere.db', { cwd })).toEqual(
      refusal(/there is no history at .*nowhere\.db/, 4),
    )
    expect(await command('status', { cwd })).toEqual(refusal(/cannot read the configuration .*hookdrift\.yaml/))
    const config = historyFixture.write('unset.yaml', `history: \${NOT_SET}/h.db\nservices: []\n`)
    const unset = await command(`runs --config ${config}`, { cwd })
    expect([unset.code, unset.stderr]).toEqual([
      2,
      expect.stringMatching(
        /unset.yaml:1:10: the environment variable NOT_SET is not set\n +name the history with --history FILE/,
      ),
    ])
    historyFixture.write('unset.yaml', `history: \${file:gone}/h.db\nservices: []\n`)
    const gone = await command(`runs --config ${config}`, { cwd })
    expect(gone.stderr).toContain('unset.yaml:1:10: cannot read gone')
  })
})
