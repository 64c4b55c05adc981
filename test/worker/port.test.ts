import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, createConnection, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { boundConnections, listen } from '../../src/app/serving/listen.ts'
import { hostCheck } from '../../src/app/serving/refuse-request.ts'
import { openHealth, workerPort } from '../../src/app/worker/port.ts'
import { minute } from './worker-harness.ts'

const answers = {
  troubles: async (): Promise<readonly string[]> => [],
  metrics: async () => ({ type: 'text/plain; version=0.0.4', text: 'hookdrift_info 1\n' }),
}

async function open(more: Partial<typeof answers> = {}, hosts?: readonly string[]) {
  const isHostOfPort = hostCheck({ host: '127.0.0.1', hosts })
  const serving = await listen(
    { host: '127.0.0.1', port: 0 },
    workerPort({ ...answers, ...more, isHostOfPort }),
    'stop it',
  )
  return {
    url: serving.url,
    async ask(
      path: string,
      { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
    ) {
      const asking = request(`${serving.url}${path}`, { method, headers, agent: false })
      asking.end()
      const [response] = await once(asking, 'response')
      return { status: response.statusCode, headers: response.headers, text: await text(response) }
    },
    [Symbol.asyncDispose]: () => serving.close(),
  }
}

describe('the port', () => {
  it('answers known paths, and nothing else', async () => {
    await using port = await open()
    const asked = async (path: string, method?: string) => {
      const { status, text } = await port.ask(path, method === undefined ? {} : { method })
      return `${status} ${text}`
    }
    expect(await asked('/healthz')).toBe('200 alive\n')
    expect(await asked('/readyz')).toBe('200 ready\n')
    expect(await asked('/metrics')).toBe('200 hookdrift_info 1\n')
    expect(await asked('/metrics?x=1')).toBe('200 hookdrift_info 1\n')
    expect(await asked('/metrics', 'HEAD')).toBe('200 ')
    for (const path of '/ /metrics/ /../etc/passwd //metrics /METRICS /%2e%2e/metrics. /__proto__'.split(' ')) {
      expect(await asked(path)).toMatch(/^404 not found/)
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect(await asked('/metrics', method)).toBe('405 only GET, HEAD\n')
    }
    const { headers } = await port.ask('/metrics', { method: 'POST' })
    expect(headers).toMatchObject({
      allow: 'GET, HEAD',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
  })

  it('says why it is not ready', async () => {
    await using port = await open({ troubles: async () => ['the history cannot be used', 'a tick of a is late'] })
    expect(await port.ask('/readyz')).toMatchObject({
      status: 503,
      text: 'not ready\nthe history cannot be used\na tick of a is late\n',
    })
  })

  it('shows no internal error to a client', async () => {
    await using port = await open({
      metrics: async () => {
        throw new Error('/home/alice/hookdrift.db is broken')
      },
    })
    expect(await port.ask('/metrics')).toMatchObject({ status: 500, text: 'internal error\n' })
    expect(await port.ask('/healthz')).toMatchObject({ status: 200 })
  })

  it('limits the headers that it accepts, and refuses invalid ones', async () => {
    await using port = await open()
    expect(await port.ask('/healthz', { headers: { 'x-long': 'x'.repeat(9000) } })).toMatchObject({ status: 431 })
    const socket = createConnection(Number(new URL(port.url).port), '127.0.0.1')
    socket.write('nonsense\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /)
  })

  it('answers behind three hundred idle connections, and closes the oldest of them', async () => {
    await using port = await open()
    const number = Number(new URL(port.url).port)
    const idle: Socket[] = []
    for (let count = 0; count < 300; count++) {
      const socket = createConnection(number, '127.0.0.1')
      // The oldest are reset, as they should be.
      socket.on('error', () => {})
      await once(socket, 'connect')
      idle.push(socket)
    }
    const [first] = idle
    if (first !== undefined && !first.closed) await once(first, 'close')
    expect(await port.ask('/healthz')).toMatchObject({ status: 200 })
    for (const socket of idle.slice(0, 100)) if (!socket.closed) await once(socket, 'close')
    expect(idle.at(-1)?.closed).toBe(false)
    for (const socket of idle) socket.destroy()
  })

  it('closes no waiting connection while another is idle', async () => {
    let end = () => {}
    const slow = new Promise<void>((resolve) => {
      end = resolve
    })
    const server = createServer((_, response) => void slow.then(() => response.end('slow')))
    boundConnections(server, 2)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const asking = request({ port, host: '127.0.0.1', agent: false }).end()
    await once(server, 'request')
    const idle = createConnection(port, '127.0.0.1')
    await once(idle, 'connect')
    const another = createConnection(port, '127.0.0.1')
    await Promise.all([once(another, 'connect'), once(idle.resume(), 'close')])
    end()
    const [response] = await once(asking, 'response')
    expect(await text(response)).toBe('slow')
    another.destroy()
    server.close()
    server.closeAllConnections()
  })

  it('answers under its own names only', async () => {
    await using port = await open()
    const asked = async (host: string, path = '/metrics') => (await port.ask(path, { headers: { host } })).status
    const own = 'localhost localhost:9464 127.0.0.1:80 127.8.8.8 [::1]:9464 a.localhost 10.0.0.7:9464'.split(' ')
    for (const host of own) {
      expect(`${host} ${await asked(host)}`).toBe(`${host} 200`)
    }
    for (const host of ['evil.example', 'evil.example:9464', '127.0.0.1.evil.example', 'localhost.evil.example']) {
      expect(`${host} ${await asked(host)} ${await asked(host, '/healthz')}`).toBe(`${host} 421 421`)
    }
  })

  it('answers 400 where a name is none', async () => {
    await using port = await open()
    for (const host of ['[evil]', 'a:b:c', 'a b']) {
      expect(await port.ask('/metrics', { headers: { host } })).toMatchObject({ status: 400 })
    }
  })

  it('answers under configured names', async () => {
    await using port = await open({}, ['Hooks.internal', 'worker'])
    const asked = async (host: string) => (await port.ask('/metrics', { headers: { host } })).status
    expect([await asked('hooks.INTERNAL:9464'), await asked('worker.'), await asked('evil.example')]).toEqual([
      200, 200, 421,
    ])
  })

  it('with a public address answers under any name, unless names are configured', () => {
    const everywhere = hostCheck({ host: '0.0.0.0' })
    const any = ['hookdrift:9464', 'hookdrift.monitoring.svc:9464', undefined]
    expect(any.filter((host) => everywhere(host))).toEqual(any)
    const named = hostCheck({ host: '::', hosts: ['hookdrift'] })
    const own = ['hookdrift:9464', '10.1.2.3:9464', '[fd00::1]:9464']
    expect([...own, 'evil.example'].filter((host) => named(host))).toEqual(own)
  })

  it('that is in use is an error that says so', async () => {
    await using port = await open()
    const taken = Number(new URL(port.url).port)
    await expect(listen({ host: '127.0.0.1', port: taken }, () => new Response(), 'stop it')).rejects.toMatchObject({
      exitCode: 4,
      advice: 'stop it',
      message: expect.stringContaining(`cannot listen on 127.0.0.1:${taken}: `),
    })
  })
})

describe('a worker is not ready', () => {
  const at = Date.parse('2026-11-21T03:00:00Z')
  const health = openHealth

  it('after three errors in a row, until a run succeeds', () => {
    const one = health()
    one.failed('a')
    one.failed('b')
    expect(one.troubles(at)).toEqual([])
    one.failed('a')
    expect(one.troubles(at)).toEqual(['the last 3 runs ended with an error'])
    one.ended('a')
    expect(one.troubles(at)).toEqual([])
  })

  it('while the last tick of a schedule was missed, and says why', () => {
    const one = health()
    one.planned(
      new Map([
        ['a', at],
        ['b', at],
      ]),
    )
    one.skipped('a', 'running')
    one.skipped('b', 'busy')
    expect(one.troubles(at)).toEqual([
      'the last tick of a was missed: the run before it was still under way',
      'the last tick of b was missed: another process writes to the history',
    ])
    one.ended('a')
    one.planned(new Map([['a', at]]))
    expect(one.troubles(at)).toEqual([])
  })

  it('no longer for runs of its own that failed or were under way, once another worker committed one', () => {
    const one = health()
    one.planned(new Map([['a', at]]))
    for (const schedule of ['a', 'a', 'a']) one.failed(schedule)
    one.skipped('a', 'running')
    expect(one.troubles(at)).toHaveLength(2)
    one.committedElsewhere()
    expect(one.troubles(at)).toEqual([])
  })

  it('when a tick is late, but not for ticks that one run covers', () => {
    const one = health()
    one.planned(new Map([['a', at]]))
    one.skipped('a', 'away')
    expect(one.troubles(at + 5 * minute)).toEqual([])
    expect(one.troubles(at + 5 * minute + 1)).toEqual(['a tick of a is late'])
  })
})
