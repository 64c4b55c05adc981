// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration

import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { constants, getPriority } from 'node:os'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { demoAddress, serveDemo } from '../../src/cli/demo.ts'
import { afternoonOf } from '../../src/demo/colleague.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory, startHookdrift } from './start-process.ts'

const tokens = { PAGES_TOKEN: 'not-a-real-token-of-all' }

describe('hookdrift serve', async () => {
  const directory = openDirectory()
  const env = { HOOKDRIFT_LOG: 'silent' }
  await command('demo --keep demo', { cwd: directory.path, env })
  afterAll(() => directory[Symbol.dispose]())

  /** A configuration whose history is that of the demonstration, and whose keys are not set. */
  function configure(serve: string) {
    const services = 'services: [{ name: acme, url: https://a.example, key: "${ACME_KEY}", projects: [{ id: p1 }] }]\n'
    directory.write('hookdrift.yaml', `history: demo/hookdrift.db\n${services}${serve}`)
    return directory.file('hookdrift.yaml')
  }

  const run = (line: string) => command(line, { cwd: directory.path, env: {} })
  const start = (line: string, env = {}) => startHookdrift(line, { cwd: directory.path, env })

  /** The address that a process says it serves at. */
  const urlOf = ({ child }: ReturnType<typeof startHookdrift>) =>
    new Promise<string>((resolve) =>
      child.stdout?.on('data', (text) => resolve(/http:\/\/\S+(?=\/ )/.exec(text)?.[0] ?? '')),
    )

  it('says that it lives while a page waits for the history', async () => {
    const running = start('serve --history demo/hookdrift.db --listen 127.0.0.1:0')
    const url = await urlOf(running)
    // SQLite waits for this without letting anything else of its thread go on.
    using other = openLocked(directory.file('demo/hookdrift.db'))
    let isShown = false
    const page = fetch(`${url}/`).then((answer) => {
      isShown = true
      return answer.status
    })
    for (let time = 0; time < 5; time++) expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(isShown).toBe(false)
    other[Symbol.dispose]()
    expect(await page).toBe(200)
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 143, stderr: '' })
  })

  it('says at its start what keeps it from serving', async () => {
    const missing = await run('serve --history missing.db --listen 127.0.0.1:0')
    expect([missing.code, missing.stdout]).toEqual([4, ''])
    expect(missing.stderr).toContain('missing.db')
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const busy = await run(`serve --history demo/hookdrift.db --listen 127.0.0.1:${port}`)
    server.close()
    expect([busy.code, busy.stdout]).toEqual([4, ''])
    expect(busy.stderr).toContain(`cannot listen on 127.0.0.1:${port}: the address is in use\n  pass another address`)
  })

  it('offers to ask the gateway what a drift cost where the process has its key', async () => {
    const running = start(`serve --config ${configure('')} --listen 127.0.0.1:0`, {
      ACME_KEY: 'not-a-real-key-of-acme',
    })
    const url = await urlOf(running)
    const page = await (await fetch(`${url}/impact?target=x`)).text()
    expect(page).toContain('<button>Ask the gateway</button>')
    const { paths } = JSON.parse(await (await fetch(`${url}/api/v1/openapi.json`)).text())
    expect(Object.keys(paths)).toContain('/api/v1/impact')
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 143, stderr: '' })
  })

  it('serves a token’s owner without the keys of services, and logs who came but no token', async () => {
    configure('serve: { listen: "127.0.0.1:0", token: "${PAGES_TOKEN}" }\n')
    const running = start('serve', tokens)
    const url = await urlOf(running)
    // Audits on the machine go first.
    if (process.platform === 'linux') {
      expect(getPriority(running.child.pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL)
    }
    const ask = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, { redirect: 'manual', ...init })
    expect((await ask('/healthz')).status).toBe(200)
    expect((await ask('/violations')).headers.get('location')).toBe('/login?to=%2Fviolations')
    const login = await ask('/login', { method: 'POST', body: new URLSearchParams({ token: tokens.PAGES_TOKEN }) })
    expect(login.status).toBe(303)
    const wrong = 'not-a-real-token-that-is-wrong'
    for (let attempt = 0; attempt < 5; attempt++) {
      const body = new URLSearchParams({ token: wrong })
      expect((await ask('/login', { method: 'POST', body })).status).toBe(401)
    }
    const again = await ask('/login', { method: 'POST', body: new URLSearchParams({ token: wrong }) })
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, '1'])
    running.child.kill('SIGTERM')
    const { code, stdout, stderr } = await running.ended
    expect(code).toBe(143)
    expect(stderr).toContain('a reader logged in')
    expect(stderr).toContain('wrong tokens: their sender has to wait')
    for (const secret of [wrong, tokens.PAGES_TOKEN]) expect(stdout + stderr).not.toContain(secret)
  })

  it('reads again who may read for SIGHUP, and keeps what it had where the file is broken', async () => {
    const withToken = (token: string) =>
      configure(`serve: { listen: "127.0.0.1:0", token: not-a-real-token-${token} }\n`)
    withToken('before-the-change')
    // Without the file, the pages would be open to everyone who reaches the address.
    const running = start('serve --history demo/hookdrift.db')
    let log = ''
    running.child.stderr?.on('data', (text) => {
      log += text
    })
    const url = await urlOf(running)
    const statusFor = async (token: string) => {
      const headers = { authorization: `Bearer not-a-real-token-${token}` }
      return (await fetch(`${url}/api/v1/status`, { headers })).status
    }
    const hangUp = async (said: string) => {
      log = ''
      running.child.kill('SIGHUP')
      while (!log.includes(said)) await once(running.child.stderr ?? running.child, 'data')
    }
    expect(await statusFor('before-the-change')).toBe(200)
    withToken('after-the-change')
    await hangUp('reloaded: ')
    expect([await statusFor('before-the-change'), await statusFor('after-the-change')]).toEqual([401, 200])
    configure('serve: { tokens: nonsense }\n')
    await hangUp('configuration reload failed; keeping the previous configuration')
    expect(log).toContain('hookdrift.yaml:3:')
    expect(await statusFor('after-the-change')).toBe(200)
    renameSync(directory.file('hookdrift.yaml'), directory.file('elsewhere.yaml'))
    await hangUp('configuration reload failed; keeping the previous configuration')
    expect([await statusFor('of-no-reader'), await statusFor('after-the-change')]).toEqual([401, 200])
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(143)
  })

  it('refuses to serve without the file that names the readers, where that file is named', async () => {
    expect(await run('serve --history demo/hookdrift.db --config missing.yaml')).toEqual(
      refusal('cannot read the configuration'),
    )
  })

  it('refuses an address that other machines reach, where nothing says who may read', async () => {
    const unguarded = 'the pages would be open to everyone who reaches 0.0.0.0'
    configure('')
    const option = await run('serve --listen 0.0.0.0:0')
    expect(option.code).toBe(2)
    expect(option.stderr).toContain(unguarded)
    expect(option.stderr).toContain('add serve.token, serve.tokens or serve.trusted_proxy, or listen at 127.0.0.1')
    configure('serve: { listen: "0.0.0.0:0" }\n')
    const configured = await run('serve')
    expect(configured.code).toBe(2)
    expect(configured.stderr).toContain(`hookdrift.yaml:3:18: ${unguarded}`)
  })

  it('reads who may read also where the history is named on the command line', async () => {
    configure('serve: { token: "${PAGES_TOKEN}" }\n')
    expect(await run('serve --history demo/hookdrift.db --listen 127.0.0.1:0')).toEqual(
      refusal('hookdrift.yaml:3:17: the environment variable PAGES_TOKEN is not set'),
    )
  })

  it('shows no token with the configuration', async () => {
    const config = configure('serve: { token: not-a-real-token-in-the-file }\n')
    for (const format of ['text', 'json', 'yaml']) {
      const { stdout, stderr } = await run(`config show --config ${config} --format ${format}`)
      expect(stdout).toContain('serve')
      expect(stdout + stderr).not.toContain('not-a-real-token')
    }
    const { stderr } = await run(`doctor --offline --config ${config}`)
    expect(stderr).not.toContain('not-a-real-token')
  })
})

/** A connection that lets no other read. */
function openLocked(file: string) {
  const db = new Database(file)
  db.pragma('locking_mode = EXCLUSIVE')
  db.exec('BEGIN EXCLUSIVE')
  return { [Symbol.dispose]: () => void db.close() }
}

const sizes = { endpointsPerProject: 12, sourcesPerProject: 4 }

describe('hookdrift demo --serve', () => {
  it('serves a fleet to this machine, prints its configuration and key, and ends with the signal', async () => {
    using directory = openDirectory()
    const running = startHookdrift('demo --serve 0 --keep try', { cwd: directory.path })
    let stdout = ''
    running.child.stdout?.on('data', (text) => {
      stdout += text
    })
    while (!stdout.includes('partner-intake'))
      await new Promise((resolve) => running.child.stdout?.once('data', resolve))
    const fleet = generateFleet(sizes)
    const cwd = directory.file('try')
    expect(readFileSync(directory.file('try/hookdrift.yaml'), 'utf8')).toBe(stdout)
    expect(stdout).toMatch(/^ {4}url: http:\/\/127\.0\.0\.1:\d+$/m)
    const env = { DEMO_KEY: fleet.personalKey }
    const line = `audit --config ${directory.file('try/hookdrift.yaml')}`
    const { code, stdout: report } = await command(line, { cwd, env })
    expect({ code, report }).toEqual({
      code: 1,
      report: expect.stringMatching(
        /^demo: orders, partner-intake, payments: run 1, .*\nScanned 3 projects completely/s,
      ),
    })
    running.child.kill('SIGTERM')
    const ended = await running.ended
    expect(ended.code).toBe(143)
    expect(ended.stderr).toContain(`  export DEMO_KEY=${fleet.personalKey}\n`)
  })

  it('makes one change a minute, until all are made', async () => {
    const fleet = generateFleet(sizes)
    const planned = afternoonOf(generateFleet(sizes)).map(
      ({ description, project }) => `A colleague ${description} (${project}).`,
    )
    const revisions = () => fleet.projects().reduce((sum, { uid }) => sum + fleet.revision(uid), 0)
    const messages: string[] = []
    const waits: number[] = []
    const stop = new AbortController()
    let before = -1
    const clock = {
      now: () => 0,
      async sleep(ms: number) {
        waits.push(ms)
        if (waits.length <= planned.length) {
          expect(revisions()).toBeGreaterThan(before)
          before = revisions()
        }
        if (waits.length > planned.length + 3) {
          stop.abort()
          throw new Error('stopped')
        }
      },
    }
    const print = (text: string) => messages.push(text)
    const order = { address: demoAddress('0'), fleet, changes: true, clock, ready: () => {}, print }
    await serveDemo(order, stop.signal)
    const { organisationId, personalKey } = fleet
    expect(messages.slice(0, 4)).toEqual([
      expect.stringMatching(/^The simulated service listens on http:/),
      `  export DEMO_KEY=${personalKey}`,
      'To set hookdrift up for it, as for a gateway of your own:',
      expect.stringMatching(
        `^  hookdrift init --url http://\\S+ --key-from-env DEMO_KEY --organisation ${organisationId} --projects all$`,
      ),
    ])
    expect(messages.slice(4)).toEqual([...planned, 'All edits are made: nothing changes from here on.'])
    expect(new Set(waits)).toEqual(new Set([60_000]))
  })

  it('makes no change on request', async () => {
    const fleet = generateFleet({ seed: 'calm', endpointsPerProject: 12, sourcesPerProject: 4 })
    const revisions = () => JSON.stringify(fleet.projects().map(({ uid }) => fleet.open(uid)))
    const [before, stop] = [revisions(), new AbortController()]
    const said: string[] = []
    const clock = { now: () => 0, sleep: async () => stop.abort() }
    const print = (text: string) => said.push(text)
    await serveDemo(
      { address: demoAddress('0'), fleet, changes: false, clock, ready: () => {}, print },
      stop.signal,
    ).catch(() => {})
    expect([said.length, revisions()]).toEqual([4, before])
  })

  it.each(['nonsense', '1:2:3', '99999', '0.0.0.0'])('refuses the address %j and leaves no file', async (address) => {
    using directory = openDirectory()
    expect(await command(`demo --serve ${address} --keep try`, { cwd: directory.path })).toEqual(
      refusal(`--serve ${address}: expected a port, or an address and a port`),
    )
    expect(readdirSync(directory.path)).toEqual([])
  })

  it('reports an address that is in use', async () => {
    using directory = openDirectory()
    expect(await command('demo --serve 192.0.2.1:80', { cwd: directory.path })).toEqual(
      refusal(/^hookdrift: cannot listen on 192\.0\.2\.1:80: /, 4),
    )
  })

  it('listens on port 8080 of this machine where no address is given', async () => {
    using directory = openDirectory()
    const taken = createServer().listen(8080, '127.0.0.1')
    await Promise.race([once(taken, 'listening'), once(taken, 'error')])
    const said = await command('demo --serve', { cwd: directory.path })
    taken.close()
    expect(said).toEqual(refusal(/^hookdrift: cannot listen on 127\.0\.0\.1:8080: /, 4))
  })
})
