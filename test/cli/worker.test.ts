import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { constants, getPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { openLog } from '../../src/app/log.ts'
import { openPort } from '../../src/cli/open-port.ts'
import { readScrape } from '../worker/scrape.ts'
import { openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'
import { configurationFor, openDirectory } from './start-process.ts'
import { stopAtMoments } from './stopped-runs.ts'
import { logOf } from './worker-log.ts'

const openWorker = (schedules: string) => openCliFixture({ clean: false, endpointsPerProject: 6 }, schedules)

/** The log as it is unless its level is given. */
const loud = { HOOKDRIFT_LOG: '' }
const everySecond = `worker: { listen: 127.0.0.1:0 }
schedules: [{ name: often, cron: "* * * * * *", run_on_start: true }]
`

describe('hookdrift worker', () => {
  it('audits on its schedule, serves its state, survives a broken file, and ends in order', async () => {
    await using cli = await openWorker(everySecond)
    const worker = cli.start('worker', loud)
    const log = logOf(worker)
    const { url } = await log.until('listening')
    const ask = async (path: string) => {
      const answer = await fetch(`${url}${path}`)
      return `${answer.status} ${await answer.text()}`
    }
    await log.until('run committed')
    expect(await ask('/healthz')).toBe('200 alive\n')
    expect(await ask('/readyz')).toBe('200 ready\n')

    cli.directory.write('hookdrift.yaml', 'services: nonsense\n')
    const { error } = await log.until('configuration reload failed; keeping the previous configuration')
    expect(error).toMatch(/^hookdrift\.yaml:1:11: /)
    await log.until('run committed', log.count('run committed') + 1)
    expect(readScrape(await ask('/metrics')).samples('hookdrift_reload_failed')).toEqual({ '': 1 })

    worker.child.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 143, stdout: '' })
    const runs = cli.query('SELECT DISTINCT state FROM run')
    expect(runs).toEqual([{ state: 'committed' }])
    expect(JSON.stringify(log.lines)).not.toContain('not-a-real-key')
  })

  it('reads its files again for SIGHUP and says what came of it, without a run', async () => {
    const listening = 'worker: { listen: 127.0.0.1:0 }\n'
    await using cli = await openWorker(`${listening}schedules: [{ name: yearly, cron: "0 0 1 1 *" }]\n`)
    const worker = cli.start('worker', loud)
    const log = logOf(worker)
    // It has not read its policy yet.
    await log.until('listening')
    worker.child.kill('SIGHUP')
    await log.until('reloaded: the next run begins with what the files say now')

    cli.directory.write('hookdrift.yaml', 'services: nonsense\n')
    worker.child.kill('SIGHUP')
    const { error } = await log.until('configuration reload failed; keeping the previous configuration')
    expect(error).toMatch(/^hookdrift\.yaml:1:11: /)

    // Every second: only a reload brings the run.
    cli.configure(() =>
      configurationFor(cli.service.url, cli.fleet, `${listening}schedules: [{ name: often, cron: "* * * * * *" }]\n`),
    )
    worker.child.kill('SIGHUP')
    await log.until('reloaded: the next run begins with what the files say now', 2)
    await log.until('run committed')
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
  })

  it('measures no project that its file no longer names, and one that it names again as it was last scanned', async () => {
    const yearly = `worker: { listen: 127.0.0.1:0 }
schedules: [{ name: yearly, cron: "0 0 1 1 *", run_on_start: true }]
`
    await using cli = await openWorker(yearly)
    const worker = cli.start('worker', loud)
    const log = logOf(worker)
    const { url } = await log.until('listening')
    const measured = async () => {
      const answer = await fetch(`${url}/metrics`)
      const scrape = readScrape(await answer.text())
      return ['last_success_timestamp_seconds', 'open_violations'].map((name) => scrape.samples(`hookdrift_${name}`))
    }
    const projects = async () => Object.keys((await measured())[0] ?? {})
    await log.until('run committed')
    await expect.poll(projects).toHaveLength(2)
    const both = await measured()
    const file = readFileSync(cli.directory.file('hookdrift.yaml'), 'utf8')
    cli.configure(() => file.replace(/^ +- .*name: orders.*\n/m, ''))
    worker.child.kill('SIGHUP')
    await log.until('reloaded: the next run begins with what the files say now')
    expect(await projects()).toEqual([expect.stringContaining('acme/payments')])
    cli.configure(() => file)
    worker.child.kill('SIGHUP')
    await expect.poll(measured).toEqual(both)
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
  })

  it('commits what it has read when it is stopped during a run', async () => {
    await using cli = await openWorker('schedules: [{ name: nightly, cron: "0 0 1 1 *", run_on_start: true }]\n')
    cli.service.behaviour.latencyMs = 100
    const worker = cli.start('worker')
    while (cli.service.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    worker.child.kill('SIGINT')
    expect((await worker.ended).code).toBe(130)
    const reasons = cli.query<{ reason: string | null; status: string }>('SELECT status, reason FROM run_coverage')
    expect(reasons).toContainEqual({
      status: 'partial',
      reason: expect.stringMatching(/: interrupted by SIGINT$/),
    })
    expect(new Set(reasons.map(({ status }) => status))).not.toContain('failed')
  })

  it('continues after errors, and is not ready', async () => {
    await using cli = await openWorker(everySecond)
    const worker = cli.start('worker', loud)
    const log = logOf(worker)
    const { url } = await log.until('listening')
    await log.until('run committed')
    cli.directory.write('hookdrift.key', 'damaged')
    const failed = await log.until('an error ended the run; the next tick tries again', 3)
    expect(failed).toMatchObject({ schedule: 'often', error: expect.stringContaining('is damaged') })
    const answer = await fetch(`${url}/readyz`)
    expect(answer.status).toBe(503)
    expect(await answer.text()).toMatch(/^not ready\nthe last \d runs ended with an error\n$/)
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
  })

  it('prints the next times', async () => {
    await using cli = await openWorker('schedules: [{ name: a, cron: "30 2 * * *", timezone: Europe/Berlin }]\n')
    const { code, stdout } = await cli.run('worker --next 2')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^at +schedule +local +timezone\n(\d{4}-\d\d-\d\dT0[01]:30:00Z {2}a {9}\w{3} \d{4}-\d\d-\d\d 0[23]:[03]0:00 \+0[12]:00 {2}Europe\/Berlin\n){2}$/,
    )
    const { rows, schema } = await cli.json('worker --next 3')
    expect(schema).toBe('hookdrift.worker/2')
    expect(rows.length).toBe(3)
    expect(Object.keys(rows[0])).toEqual(['schedule', 'at', 'timezone', 'local'])
  })

  it.each([
    ['', 'worker --next 1', /hookdrift\.yaml names no schedules\n {2}`hookdrift docs run-on-a-schedule`/],
    [
      'schedules: [{ name: a, cron: "0 0 31 2 *" }]\n',
      'worker',
      /hookdrift\.yaml:1:30: "0 0 31 2 \*" is not a valid schedule: it never fires/,
    ],
    [
      'schedules: [{ name: a, cron: "61 * * * *" }]\n',
      'audit',
      /hookdrift\.yaml:1:30: "61 \* \* \* \*" is not a valid schedule/,
    ],
    [everySecond, 'worker --next 0', /Expected a number from 1 to 1000/],
    ['worker: { listen: nowhere }\n', 'worker', /hookdrift\.yaml:1:19: .*expected an address and a port/],
  ])('exits with a message on stderr where the configuration has %j: %s', async (schedules, line, message) => {
    await using cli = await openWorker(schedules)
    const stderr = expect.stringMatching(message)
    expect(await cli.run(line)).toEqual({ code: 2, stdout: '', stderr })
  })

  it('exits with a message when its address is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? address?.port : undefined
    await using cli = await openWorker(`worker: { listen: ${port} }\nschedules: [{ name: a, cron: "0 * * * *" }]\n`)
    const said = await cli.run('worker')
    other.close()
    expect(said.code).toBe(4)
    expect(said.stderr).toContain(`cannot listen on 127.0.0.1:${port}`)
  })
})

describe('hookdrift audit with schedules and time limits', () => {
  it('ends at run_timeout with partial walks, and commits the run', async () => {
    await using cli = await openWorker('run_timeout: 1s\nconcurrency: 1\n')
    cli.service.behaviour.latencyMs = 200
    const { code, stdout } = await cli.start('audit --format json').ended
    const { coverage, verdict } = JSON.parse(stdout)
    expect([code, verdict.exit_code]).toEqual([3, 3])
    const late = coverage.filter(({ status }: { status: string }) => status !== 'complete')
    expect(late.length).toBeGreaterThan(0)
    for (const walk of late) {
      expect(walk).toMatchObject({
        status: 'partial',
        reason: expect.stringMatching(/: the run_timeout of 1 s is over$/),
      })
    }
  })

  it('commits what it has read when its terminal closes, which sends two signals', async () => {
    await using cli = await openWorker('concurrency: 1\n')
    cli.service.behaviour.latencyMs = 100
    const { child, ended } = cli.start('audit --format json')
    while (cli.service.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGHUP')
    await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGHUP')
    const { code, stdout } = await ended
    const { coverage, verdict } = JSON.parse(stdout)
    expect([code, verdict.exit_code]).toEqual([143, 143])
    expect(coverage).toContainEqual(
      expect.objectContaining({ status: 'partial', reason: expect.stringMatching(/: interrupted by SIGHUP$/) }),
    )
    expect(cli.query('SELECT state FROM run')).toEqual([{ state: 'committed' }])
  })

  it('exits with 143 within ten seconds of a stop at any moment, and the next run is right', async () => {
    const moments = [0.1, 0.3, 0.7]
    const results = await stopAtMoments(3, () => moments.shift() ?? 0.5)
    for (const result of results) {
      expect(result).toMatchObject({ code: 143, isNextRight: true })
      expect(result.ms).toBeLessThan(10_000)
    }
  })
})

const whole = 'not-a-real-token-of-all'
const some = 'not-a-real-token-of-orders'

/** The port of a worker of the demonstration, whose pages ask for a token. */
describe('the port of a worker with pages', async () => {
  const directory = openDirectory()
  const lines: string[] = []
  const stderr = { on: () => {}, write: (text: string) => lines.push(text) > 0 }
  const terminal = { stdout: stderr, stderr, env: {}, cwd: () => directory.file('demo') }
  await command(`demo --keep ${directory.file('demo')}`, { cwd: directory.path, env: { HOOKDRIFT_LOG: 'silent' } })
  const tokens = [
    { name: undefined, token: whole, projects: undefined },
    { name: 'orders', token: some, projects: ['demo/orders'] },
  ]
  const settings = { listen: undefined, hosts: undefined, tokens, trustedProxy: undefined }
  const open = (host: string) =>
    openPort(
      { config: directory.file('demo/hookdrift.yaml') },
      { host, port: 0 },
      {
        terminal,
        log: openLog(terminal),
        settings,
        troubles: async () => [],
        metrics: async () => ({ type: 'text/plain', text: 'hookdrift_info 1\n' }),
      },
    )
  const port = await open('127.0.0.1')
  afterAll(async () => {
    await port.close()
    directory[Symbol.dispose]()
  })

  const ask = (path: string, token?: string) =>
    fetch(`${port.url}${path}`, {
      redirect: 'manual',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })

  it('says without a token that it is alive, and shows no page', async () => {
    expect([(await ask('/healthz')).status, (await ask('/readyz')).status]).toEqual([200, 200])
    expect(await (await ask('/metrics')).text()).toBe('hookdrift_info 1\n')
    const refused = await ask('/violations')
    expect([refused.status, refused.headers.get('location')]).toEqual([303, '/login?to=%2Fviolations'])
    expect((await ask('/api/v1/status')).status).toBe(401)
  })

  it('shows each reader the projects of their token', async () => {
    const all = await (await ask('/violations', whole)).text()
    expect(all).toContain('demo/payments')
    const own = await (await ask('/violations', some)).text()
    expect(own).toContain('demo/orders')
    expect(own).not.toContain('demo/payments')
  })

  // A process that gives way itself has no thread that gives way to it.
  const isNormal = getPriority() === constants.priority.PRIORITY_NORMAL
  it.runIf(process.platform === 'linux' && isNormal)('makes pages in a thread that audits go before', async () => {
    await ask('/violations', whole)
    const niceness = readdirSync('/proc/self/task').map((task) => {
      const fields = readFileSync(`/proc/self/task/${task}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')
      return Number(fields[16])
    })
    expect(niceness).toContain(constants.priority.PRIORITY_BELOW_NORMAL)
    expect(getPriority()).toBe(constants.priority.PRIORITY_NORMAL)
  })

  it.each([
    ['no reader', { ...settings, tokens: [] }],
    ['none that can be read', undefined],
  ])('refuses every token once the files have %s, on an address that others reach', async (_, changed) => {
    const everywhere = await open('0.0.0.0')
    const { port: number } = new URL(everywhere.url)
    const headers = { authorization: `Bearer ${whole}` }
    const status = async () => (await fetch(`http://127.0.0.1:${number}/api/v1/runs`, { headers })).status
    expect(await status()).toBe(200)
    everywhere.show(changed)
    expect(await status()).toBe(401)
    await everywhere.close()
  })

  it('refuses an address of which no request can be made', async () => {
    const { port: number, hostname } = new URL(port.url)
    const socket = connect({ host: hostname, port: Number(number) })
    socket.end('GET http://u:p@127.0.0.1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 .*not a valid address\n$/s)
    expect((await ask('/login')).status).toBe(200)
  })

  it('logs no token', async () => {
    await ask('/', 'a-wrong-token-that-is-long-enough')
    for (const token of [whole, some, 'a-wrong-token']) expect(lines.join('')).not.toContain(token)
  })
})
