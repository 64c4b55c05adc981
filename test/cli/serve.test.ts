// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { constants, getPriority } from 'node:os'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { command } from './run-in-process.ts'
import { openDirectory, startHookdrift } from './start-process.ts'

const tokens = { PAGES_TOKEN: 'not-a-real-token-of-all' }

describe('hookdrift serve', async () => {
  const directory = openDirectory()
  const env = { HOOKDRIFT_LOG: 'silent' }
  await command(['demo', '--keep', 'demo'], { cwd: directory.path, env })
  afterAll(() => directory[Symbol.dispose]())

  /** A configuration whose history is that of the demonstration, and whose keys are not set. */
  function configure(serve: string): string {
    const services = 'services: [{ name: acme, url: https://a.example, key: "${ACME_KEY}", projects: [{ id: p1 }] }]\n'
    directory.write('hookdrift.yaml', `history: demo/hookdrift.db\n${services}${serve}`)
    return directory.file('hookdrift.yaml')
  }

  const refuse = async (serve: string, ...args: readonly string[]) => {
    configure(serve)
    const { code, stderr } = await command(['serve', ...args], { cwd: directory.path, env: {} })
    return { code, stderr }
  }

  /** The address that a process says it serves at. */
  const urlOf = ({ child }: ReturnType<typeof startHookdrift>) =>
    new Promise<string>((resolve) =>
      child.stdout?.on('data', (text: string) => resolve(/http:\/\/\S+(?=\/ )/.exec(text)?.[0] ?? '')),
    )

  it('says that it lives while a page waits for the history', async () => {
    const args = ['serve', '--history', 'demo/hookdrift.db', '--listen', '127.0.0.1:0']
    const running = startHookdrift(args, { cwd: directory.path, env: {} })
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
    const at = (...args: readonly string[]) => command(['serve', ...args], { cwd: directory.path, env: {} })
    const missing = await at('--history', 'missing.db', '--listen', '127.0.0.1:0')
    expect([missing.code, missing.stdout]).toEqual([4, ''])
    expect(missing.stderr).toContain('missing.db')
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const busy = await at('--history', 'demo/hookdrift.db', '--listen', `127.0.0.1:${port}`)
    server.close()
    expect([busy.code, busy.stdout]).toEqual([4, ''])
    expect(busy.stderr).toContain(`cannot listen on 127.0.0.1:${port}: the address is in use\n  pass another address`)
  })

  it('serves a token’s owner without the keys of services, and logs who came but no token', async () => {
    configure('serve: { listen: "127.0.0.1:0", token: "${PAGES_TOKEN}" }\n')
    const running = startHookdrift(['serve'], { cwd: directory.path, env: tokens })
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
    const running = startHookdrift(['serve'], { cwd: directory.path, env: {} })
    let log = ''
    running.child.stderr?.on('data', (text: string) => {
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
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(143)
  })

  it('refuses an address that other machines reach, where nothing says who may read', async () => {
    const unguarded = 'the pages would be open to everyone who reaches 0.0.0.0'
    const option = await refuse('', '--listen', '0.0.0.0:0')
    expect(option.code).toBe(2)
    expect(option.stderr).toContain(unguarded)
    expect(option.stderr).toContain('add serve.token, serve.tokens or serve.trusted_proxy, or listen at 127.0.0.1')
    const configured = await refuse('serve: { listen: "0.0.0.0:0" }\n')
    expect(configured.code).toBe(2)
    expect(configured.stderr).toContain(`hookdrift.yaml:3:18: ${unguarded}`)
  })

  it('reads who may read also where the history is named on the command line', async () => {
    const token = 'serve: { token: "${PAGES_TOKEN}" }\n'
    const { code, stderr } = await refuse(token, '--history', 'demo/hookdrift.db', '--listen', '127.0.0.1:0')
    expect(code).toBe(2)
    expect(stderr).toContain('hookdrift.yaml:3:17: the environment variable PAGES_TOKEN is not set')
  })

  it('shows no token with the configuration', async () => {
    const config = configure('serve: { token: not-a-real-token-in-the-file }\n')
    for (const format of ['text', 'json', 'yaml']) {
      const { stdout, stderr } = await command(['config', 'show', '--config', config, '--format', format], {
        cwd: directory.path,
        env: {},
      })
      expect(stdout).toContain('serve')
      expect(stdout + stderr).not.toContain('not-a-real-token')
    }
    const { stderr } = await command(['config', 'check', '--config', config], { cwd: directory.path, env: {} })
    expect(stderr).not.toContain('not-a-real-token')
  })
})

/** A connection that lets no other read. */
function openLocked(file: string): Disposable {
  const db = new Database(file)
  db.pragma('locking_mode = EXCLUSIVE')
  db.exec('BEGIN EXCLUSIVE')
  return { [Symbol.dispose]: () => void db.close() }
}
