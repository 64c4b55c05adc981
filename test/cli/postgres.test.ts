import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeEndpoint, updateEndpoint } from '../../src/demo/edits.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { views } from '../../src/history/views.ts'
import { at } from '../audit/fleet-fixture.ts'
import { administrate, hasPostgres, makeDatabase, type TestDatabase } from '../history/postgres/databases.ts'
import { makeCluster } from '../start-postgres.ts'
import { breakOne, openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { logOf } from './worker-log.ts'

const page = join(import.meta.dirname, '../../docs/how-to/many-machines.md')

const sealKey = 'not-a-real-seal-key-for-many-machines'
const configuration = `policy: policy.yaml
concurrency: 1
worker: { listen: "127.0.0.1:0" }
schedules: [{ name: often, cron: "* * * * * *", run_on_start: true }]
notify: [{ name: files, type: directory, path: ./reports, formats: [json] }]
`

interface Said {
  readonly line: string
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The simulated service of one story, and a person at a terminal with a history. */
async function openStory(history: string) {
  const cli = await openCliFixture({ seed: 'many-machines' }, configuration)
  cli.directory.write('policy.yaml', 'extends: [recommended]\nrules: { endpoint/url-test-host: off }\n')
  const env = { HOOKDRIFT_SEAL_KEY: sealKey, HOOKDRIFT_HISTORY: history }
  const said: Said[] = []
  const say = async (line: string) => {
    const { code, stdout, stderr } = await cli.run(line, { env })
    if (code > 1) throw new Error(`${line}: exit code ${code}: ${stderr}`)
    said.push({ line, code, stdout: masked(stdout), stderr: masked(stderr) })
    return stdout
  }
  return { ...cli, say, said }
}

/** What two stories with the same events do not share: times, durations, sizes, addresses, ids of the hash chain. */
function masked(text: string) {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: UTC)?/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{64}\b|sha256-[\w+/]+=*/g, 'DIGEST')
    .replaceAll(/\btime="[\d.]+"/g, 'time="0"')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'SERVICE')
    .replaceAll(/"(age_s|duration_ms|bytes|freed_bytes|left_bytes|chain)": ?(?:"[0-9a-f]*"|\d+|null)/g, '"$1": 0')
    .replaceAll(/(?:\/[\w.-]+)*\/hookdrift-cli-\w+/g, 'DIRECTORY')
    .replaceAll(/\d+(?:\.\d+)? (?:ms|s|[kM]?B)\b/g, 'AMOUNT')
    .replaceAll(/ {2,}|─{2,}|-{3,}/g, ' ')
}

/** The same work on any history, and what the program said. */
async function runStory(history: string): Promise<readonly Said[]> {
  await using cli = await openStory(history)
  const { fleet, say, said } = cli
  const formats = ['text', 'json', 'sarif', 'junit', 'markdown', 'csv', 'html']
  await say('audit')
  breakOne(cli)
  const project = at(fleet.projects(), 0).uid
  const [, second, third] = fleet.open(project).endpoints
  assert(second && third, 'three endpoints are needed')
  changeEndpoint(fleet, { project, uid: second.uid }, (endpoint) => ({
    ...endpoint,
    url: 'http://plain.example.com',
  }))
  updateEndpoint(fleet, { project, uid: third.uid }, { name: third.name, url: third.url })
  await say('audit --format json --metrics-file metrics.prom')
  for (const format of formats) await say(`report --format ${format}`)
  await say('report --run 1 --format json')
  await say('report --framework soc2 --format json')

  const open = JSON.parse(await say('violations --open --format json')).rows
  await say('runs --format json')
  await say('status --format json')
  await say('diff 1 2 --format json')
  await say('diff 1 --format rfc6902')
  await say(`timeline ${second.uid} --format json`)
  await say('state --at 1 --format json')
  await say('state --format csv')
  await say('trend --format json')
  await say(`restore ${second.uid} --run 1`)
  await say(`compare ${at(fleet.projects(), 0).name} ${at(fleet.projects(), 1).name} --match name --format json`)
  await say('waivers draft --owner lee --expires 2027-01-31 --reason later')
  await say('policy replay --policy policy.yaml --format json')
  await say('query --views --format json')

  await say(`accept ${open[0].fingerprint} --reason 'it moves' --by lee`)
  await say('waivers list --acceptances --format json')
  await say("baseline approve --run 1 --by lee --note 'as agreed'")
  await say('baseline show --format json')
  await say('baseline diff --format json')
  await say('audit --format json')
  await say('notify --pending --format json')
  await say('violations --format json')
  await say('config show --format json')
  await say('prune --keep-last 1 --dry-run')
  await say('prune --keep-last 1 --format json')
  await say('runs --format json')
  await say('verify --deep')
  await say('backup backup.db')
  await say('verify --deep --history backup.db')
  await say('report --format json --history backup.db')
  return said
}

describe.skipIf(!hasPostgres)('a history in PostgreSQL', () => {
  let place: TestDatabase
  let url: string
  // An ordinary login that owns its database, as the pages advise.
  const login = `auditor_${process.pid}`
  beforeAll(() => administrate(`CREATE ROLE ${login} LOGIN`))
  afterAll(() => administrate(`DROP ROLE ${login}`))
  beforeEach(async () => {
    place = await makeDatabase({ empty: true })
    await administrate(`ALTER DATABASE ${place.server.database} OWNER TO ${login}`)
    url = place.url.replace(/\/\/[^@/]*@/, `//${login}@`)
  })
  afterEach(() => place.remove())

  it('has the answers of a history in a file, for every command', async () => {
    const inFile = await runStory('history.db')
    const inDatabase = await runStory(url)
    expect(inDatabase.map(({ line }) => line)).toEqual(inFile.map(({ line }) => line))
    // They name what only one of them has: a file, checks of a file.
    const comparable = (said: readonly Said[]) =>
      said.map((one) => (/^(?:config show|verify)/.test(one.line) ? { ...one, stdout: '' } : one))
    expect(comparable(inDatabase)).toEqual(comparable(inFile))
  }, 120_000)

  it('is made by an audit with a given key only, and by no reader', async () => {
    await using cli = await openCliFixture()
    const env = { HOOKDRIFT_HISTORY: url }
    const unmade = { code: 4, stderr: expect.stringMatching(/^hookdrift: there is no history at postgres:\/\//) }
    for (const name of ['status', 'verify', 'runs']) expect(await cli.run(name, { env })).toMatchObject(unmade)
    const refused = { code: 2, stderr: expect.stringMatching(/no installation key is given .*\n {2}make one with/) }
    expect(await cli.audit('', { env })).toMatchObject(refused)
    expect(await cli.audit('', { env: { ...env, HOOKDRIFT_SEAL_KEY: '' } })).toMatchObject(refused)
    const keyed = { ...env, HOOKDRIFT_SEAL_KEY: sealKey }
    expect(await cli.audit('', { env: keyed })).toMatchObject({ code: 0, stderr: '' })
    const other = await cli.audit('--format json', { env: { ...env, HOOKDRIFT_SEAL_KEY: `another-${sealKey}` } })
    expect(other.code).toBe(0)
    expect(JSON.stringify(JSON.parse(other.stdout).notices)).toContain('installation key')
    expect(readdirSync(cli.directory.path)).toEqual(['hookdrift.yaml'])
  })

  it('is diagnosed, demonstrated and completed', async () => {
    await using cli = await openCliFixture({}, `history: ${url}\n`)
    const env = { ...cli.env, HOOKDRIFT_SEAL_KEY: sealKey }
    const say = (line: string) => command(line, { cwd: cli.directory.path, env })
    const historyRow = async () => {
      const { rows } = JSON.parse((await cli.run('doctor --format json', { env })).stdout)
      return rows.find(({ check }: { check: string }) => check === 'history')
    }
    expect(await historyRow()).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^none yet: the first audit makes postgres:.*, PostgreSQL \d+\.\d+, no TLS$/),
    })
    const demo = await say(`demo --no-keep --history ${url}`)
    expect(demo).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/\nOnly the history is kept\.\n.* {2}hookdrift violations [^\n]+ --history '/s),
    })
    expect(await historyRow()).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^postgres:.*, 2 runs, intact, PostgreSQL/),
    })
    expect(await say(`demo --history ${url}`)).toMatchObject(refusal(/--history postgres:.*: there is a history\n/))
    const { stdout } = await say(`__complete zsh -- report --history ${url} --run ''`)
    expect(stdout).toContain('2')
  })

  it('is asked under the role of the page, which reads the views and nothing else', async () => {
    await using cli = await openCliFixture()
    await cli.audit('', { env: { HOOKDRIFT_HISTORY: url, HOOKDRIFT_SEAL_KEY: sealKey } })
    const reader = `reader_${process.pid}`
    const [, made = '', granted = ''] =
      /```sql\n(CREATE ROLE .*?)```.*?```sql\n(.*?)```/s.exec(
        readFileSync(page, 'utf8').split('## Let people query it')[1] ?? '',
      ) ?? []
    const statementsIn = (sql: string) =>
      sql
        .replaceAll('hookdrift_reader', reader)
        .replaceAll('DATABASE hookdrift', `DATABASE ${place.server.database}`)
        .split(/;\n/)
        .filter((statement) => statement !== '')
    const open = (user: string | undefined) => connect({ ...place.server, user }, { connections: 1 })
    for (const statement of statementsIn(made)) await administrate(statement)
    const [administrator, owner, asked] = [open(place.server.user), open(login), open(reader)]
    try {
      for (const statement of statementsIn(granted)) await owner.run(statement)
      const fault = (sql: string) =>
        asked.run(sql).then(
          () => 'none',
          (error) => `${error.message} ${error.cause}`,
        )
      expect(await asked.all('SELECT number, exit_code FROM committed_run')).toEqual([{ number: 1, exit_code: 0 }])
      for (const view of Object.keys(views)) await asked.all(`SELECT * FROM ${view}`)
      expect(await asked.value('SHOW statement_timeout')).toBe('5s')
      const tables = await asked.all<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'hookdrift'`,
      )
      expect(tables.length).toBeGreaterThan(10)
      for (const { name } of tables) expect(await fault(`SELECT * FROM hookdrift.${name}`)).toMatch(/permission denied/)
      await asked.run('SET default_transaction_read_only = off')
      for (const sql of [
        'DELETE FROM committed_run',
        'UPDATE note SET text = text',
        'CREATE TABLE hookdrift.made (n integer)',
        "SELECT pg_read_file('/etc/passwd')",
        `SET ROLE ${login}`,
      ]) {
        expect([sql, await fault(sql)]).toEqual([
          sql,
          expect.stringMatching(/permission denied|cannot (?:delete|update)/),
        ])
      }
    } finally {
      await administrator.run(`DROP OWNED BY ${reader}`)
      for (const db of [administrator, owner, asked]) await db.close()
      await administrate(`DROP ROLE ${reader}`)
    }
  })

  it('has a password that no output shows', async () => {
    await using cli = await openCliFixture()
    const secret = 'not-a-real-password'
    const away = url.replace(`//${login}@`, `//${login}:${secret}@`).replace(/host=[^&]*/, 'host=127.0.0.1')
    const closed = away.replace(/@[^/]*/, '@127.0.0.1:1')
    for (const line of ['audit', 'status', 'config show', 'doctor', 'verify']) {
      const said = await cli.run(`${line} --history ${closed}`, { env: { HOOKDRIFT_SEAL_KEY: sealKey } })
      expect(said.stderr).toMatch(/^hookdrift: warning: the command line has a password/)
      expect(`${said.stdout}${said.stderr}`).not.toContain(secret)
      expect(`${said.stdout}${said.stderr}`).toContain('postgres://127.0.0.1:1/')
    }
    const listed = cli.start(`audit --history ${closed}`)
    const { code, stderr } = await listed.ended
    expect({ code, hidden: !stderr.includes(secret) }).toEqual({ code: 2, hidden: true })
  })
})

const workerConfiguration = `concurrency: 1
worker: { listen: "127.0.0.1:0" }
schedules: [{ name: often, cron: "* * * * * *", run_on_start: true }]
notify: [{ name: files, type: directory, path: ./reports, formats: [json] }]
`

describe.skipIf(!hasPostgres)('a worker whose history is on a server', () => {
  it('waits for the server, goes on after it was away, and ends in order', async () => {
    const cluster = makeCluster()
    assert(cluster, 'PostgreSQL is not installed')
    await using _ = { [Symbol.asyncDispose]: () => cluster.remove() }
    await cluster.stop()
    await using cli = await openCliFixture({}, workerConfiguration)
    const history = `postgres://${cluster.user}@localhost/postgres?host=${encodeURIComponent(cluster.directory)}`
    const env = { HOOKDRIFT_LOG: '', HOOKDRIFT_HISTORY: history, HOOKDRIFT_SEAL_KEY: sealKey }
    const worker = cli.start('worker', env)
    const log = logOf(worker)
    const { url } = await log.until('listening')
    const ask = async (path: string) => {
      const answer = await fetch(`${url}${path}`)
      return `${answer.status} ${await answer.text()}`
    }
    // A slow machine misses ticks, and a worker that missed the last one is not ready.
    const untilReady = async () => {
      while ((await ask('/readyz')) !== '200 ready\n') await sleep(200)
    }
    expect(await log.until('waiting for the history')).toMatchObject({
      error: expect.stringMatching(/^cannot use the history postgres:.*no such file or directory/),
      advice: 'check that the server runs and can be reached from here',
    })
    expect(await ask('/readyz')).toMatch(/^503 /)
    expect(await ask('/healthz')).toBe('200 alive\n')

    await cluster.start()
    await log.until('run committed')
    await untilReady()
    expect(await ask('/metrics')).toMatch(/^hookdrift_history_bytes [1-9]/m)

    await cluster.stop()
    expect(await ask('/readyz')).toMatch(/^503 not ready\n(?:.*\n)*the history cannot be used\n/)
    expect(await ask('/metrics')).toMatch(/^hookdrift_info/m)
    await log.until('an error ended the run; the next tick tries again')

    const before = log.count('run committed')
    await cluster.start()
    await log.until('run committed', before + 1)
    await untilReady()
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
  }, 120_000)
})
