import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { constants, getPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { openLog } from '../../src/app/log.ts'
import { openPort } from '../../src/cli/open-port.ts'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

const whole = 'not-a-real-token-of-all'
const some = 'not-a-real-token-of-orders'

/** The port of a worker of the demonstration, whose pages ask for a token. */
describe('the port of a worker with pages', async () => {
  const directory = openDirectory()
  const lines: string[] = []
  const stderr = { on: () => {}, write: (text: string) => lines.push(text) > 0 }
  const terminal = { stdout: stderr, stderr, env: {}, cwd: () => directory.file('demo') }
  await command(['demo', '--keep', directory.file('demo')], { cwd: directory.path, env: { HOOKDRIFT_LOG: 'silent' } })
  const tokens = [
    { name: undefined, token: whole, projects: undefined },
    { name: 'orders', token: some, projects: ['demo/orders'] },
  ]
  const port = await openPort(
    { config: directory.file('demo/hookdrift.yaml') },
    { host: '127.0.0.1', port: 0 },
    {
      terminal,
      log: openLog(terminal),
      settings: { listen: undefined, hosts: undefined, tokens, trustedProxy: undefined },
      troubles: async () => [],
      metrics: async () => ({ type: 'text/plain', text: 'hookdrift_info 1\n' }),
    },
  )
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
