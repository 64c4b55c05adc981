import { once } from 'node:events'
import { request } from 'node:http'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { openHealth } from '../../src/worker/health.ts'
import { serve } from '../../src/worker/serve.ts'
import { minute } from './a-worker.ts'

const answers = {
  troubles: async (): Promise<readonly string[]> => [],
  metrics: async () => ({ type: 'text/plain; version=0.0.4', text: 'hookdrift_info 1\n' }),
}

async function open(more: Partial<typeof answers> = {}) {
  const serving = await serve({ host: '127.0.0.1', port: 0 }, { ...answers, ...more })
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
  it('answers what is asked of it, and nothing else', async () => {
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
    for (const path of ['/', '/metrics/', '/../etc/passwd', '//metrics', '/METRICS', '/%6detrics', '/__proto__']) {
      expect(await asked(path)).toMatch(/^404 not found/)
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect(await asked('/metrics', method)).toBe('405 only GET and HEAD\n')
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

  it('tells a stranger nothing of an error of its own', async () => {
    await using port = await open({
      metrics: async () => {
        throw new Error('/home/somebody/hookdrift.db is broken')
      },
    })
    expect(await port.ask('/metrics')).toMatchObject({ status: 500, text: 'this could not be found out\n' })
    expect(await port.ask('/healthz')).toMatchObject({ status: 200 })
  })

  it('takes no more headers than it needs, and no nonsense', async () => {
    await using port = await open()
    expect(await port.ask('/healthz', { headers: { 'x-long': 'x'.repeat(9000) } })).toMatchObject({ status: 431 })
    const socket = createConnection(Number(new URL(port.url).port), '127.0.0.1')
    socket.write('nonsense\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /)
  })

  it('that is taken is an error that says so', async () => {
    await using port = await open()
    const taken = Number(new URL(port.url).port)
    await expect(serve({ host: '127.0.0.1', port: taken }, answers)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining(`cannot listen on 127.0.0.1:${taken}: `),
    })
  })
})

describe('a worker is not ready', () => {
  const at = Date.parse('2026-11-21T03:00:00Z')
  const health = () => openHealth(() => minute)

  it('after three errors in a row, until a run ends well', () => {
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
    one.skipped('b', 'held')
    expect(one.troubles(at)).toEqual([
      'the last tick of a was missed: the run before it was still under way',
      'the last tick of b was missed: another process writes to the history',
    ])
    one.ended('a')
    one.planned(new Map([['a', at]]))
    expect(one.troubles(at)).toEqual([])
  })

  it('when a tick is late beyond its jitter, but not for ticks that one run stands for', () => {
    const one = health()
    one.planned(new Map([['a', at]]))
    one.skipped('a', 'away')
    expect(one.troubles(at + 6 * minute)).toEqual([])
    expect(one.troubles(at + 6 * minute + 1)).toEqual(['a tick of a is late'])
  })
})
