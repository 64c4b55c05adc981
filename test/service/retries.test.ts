import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRateGate } from '../../src/gateway/service/rate-gate.ts'
import { Dropped, Stop } from '../../src/model/stop.ts'
import type { Clock } from '../../src/model/time.ts'
import {
  type Answer,
  aClient,
  aClock,
  anAccess,
  answer,
  aService,
  faultIn,
  item,
  page,
  pageBody,
  said,
  walk,
} from './fake-service.ts'

const cut: Answer = (_request, response) => {
  const body = JSON.stringify(pageBody([item('a')]))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.write(body.slice(0, 40), () => response.destroy())
}
const cutChunks: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(JSON.stringify(pageBody([item('a')])), () => response.destroy())
}
/** Without an announced length, the end of the connection is the end of the body. */
const cutAtOnce: Answer = (request) => {
  request.socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n')
}
const reset: Answer = (request) => request.socket.resetAndDestroy()
/** Time limits that run out when an answer says so, and never by themselves. */
let latestLimit = new AbortController()
const timeoutAfter = () => {
  latestLimit = new AbortController()
  return latestLimit.signal
}
const silent: Answer = () => latestLimit.abort()
const slow: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{', () => latestLimit.abort())
}

describe('a temporary failure', () => {
  it.each([
    ['a body cut midway', cut],
    ['chunks without an end', cutChunks],
    ['a body cut before its first byte', cutAtOnce],
    ['a reset', reset],
    ['no answer in time', silent],
    ['a body that drips past the time for a page', slow],
    ['a 500 with an empty body', answer(500, '')],
    ['a 502 in HTML', answer(502, '<h1>bad gateway', { 'content-type': 'text/html' })],
    ['a 503', said(503, 'later')],
    ['a 408', answer(408, '')],
    ['a 429', said(429, 'exceeded rate limit')],
    ['a transient 400', said(400, 'Failed to load endpoints')],
    ['a 401', said(401, 'authorization failed')],
  ])('%s', async (_title, given) => {
    const service = await aService(given, given, page([item('a')]))
    const access = anAccess()
    const clock = aClock()
    const { pages, fault } = await walk(aClient(service.url, { clock, timeoutAfter }), access)
    expect(fault).toBe(null)
    expect(pages.length).toBe(1)
    expect(access.traffic).toMatchObject({ requests: 3, retries: 2 })
    expect(access.budget.waitedMs).toBe(clock.slept.reduce((sum, ms) => sum + ms, 0))
  })

  it('a refused connection', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const access = anAccess()
    expect((await walk(aClient(`http://127.0.0.1:${port}`), access)).fault).toBe(
      'network: page 1: connection refused after 5 tries',
    )
    expect(access.traffic).toEqual({ requests: 5, retries: 4 })
    expect(access.budget.waitedMs).toBe(125 + 250 + 500 + 1_000)
  })

  it('a connection that is never made', async () => {
    // Accepts, and never answers the greeting of TLS.
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    server.on('connection', (socket) => onTestFinished(() => void socket.destroy()))
    const { port } = server.address() as AddressInfo
    const client = aClient(`https://127.0.0.1:${port}`, { limits: { connectTimeoutMs: 50, retries: 0 } })
    expect((await walk(client)).fault).toBe('timeout: page 1: no connection in time')
  })

  it('is retried after pauses that double, are random, and end at ten seconds', async () => {
    const service = await aService(answer(500, ''))
    const clock = aClock()
    await walk(aClient(service.url, { clock, limits: { retries: 8 } }))
    expect(clock.slept).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
  })
})

describe('a permanent failure', () => {
  it.each([
    [slow, 'timeout: page 1: no whole answer within 30000 ms after 2 tries'],
    [cut, 'network: page 1: connection closed before the answer was whole after 2 tries'],
    [reset, 'network: page 1: connection reset after 2 tries'],
    [
      said(502, 'upstream is gone'),
      'http: page 1: 502 bad gateway after 2 tries; the service says "upstream is gone" (request id req-7)',
    ],
  ])('is reported with the number of tries %#', async (given, fault) => {
    const client = aClient((await aService(given)).url, { limits: { retries: 1 }, timeoutAfter })
    expect((await walk(client)).fault).toBe(fault)
  })

  it('is tried once when retries are off', async () => {
    const service = await aService(answer(500, ''))
    expect((await walk(aClient(service.url, { limits: { retries: 0 } }))).fault).toBe(
      'http: page 1: 500 internal server error (request id req-7)',
    )
    expect(service.requests.length).toBe(1)
  })

  it('ends with the retry budget, which all walks of a project share', async () => {
    const service = await aService(answer(500, ''))
    const client = aClient(service.url, { limits: { retries: 50, retryBudgetMs: 1_000 } })
    const access = anAccess()
    expect((await walk(client, access)).fault).toBe(
      'http: page 1: 500 internal server error after 5 tries, no time left for further tries (request id req-7)',
    )
    expect(access.budget.waitedMs).toBe(1_000)
    expect((await walk(client, access)).fault).toContain('500 internal server error, no time left for further tries')
    expect(access.traffic).toEqual({ requests: 6, retries: 4 })
    expect(access.budget.waitedMs).toBe(1_000)
  })

  it('charges the budget for the time of a failed try', async () => {
    const clock = aClock()
    const losing: Answer = (request, response) => {
      void clock.sleep(700)
      answer(500, '')(request, response)
    }
    const access = anAccess()
    const client = aClient((await aService(losing)).url, { clock, limits: { retryBudgetMs: 1_000 } })
    expect((await walk(client, access)).fault).toContain('after 2 tries, no time left for further tries')
    expect(access.budget.waitedMs).toBe(700 + 125 + 700)
  })
})

describe('a refused key', () => {
  it('is retried three times over some seconds', async () => {
    const no = said(401, 'authorization failed')
    const service = await aService(no, no, no, page([item('a')]))
    const clock = aClock()
    expect((await walk(aClient(service.url, { clock }))).fault).toBe(null)
    expect(clock.slept).toEqual([750, 1_500, 3_000])
  })

  it('is refused when it persists, with both possible reasons', async () => {
    const service = await aService(said(401, 'authorization failed'))
    expect((await walk(aClient(service.url))).fault).toBe(
      "refused_key: page 1: 401 unauthorized after 4 tries: the key is wrong, expired or revoked, or the service's database is down; " +
        'the service says "authorization failed" (request id req-7)',
    )
    expect(service.requests.length).toBe(4)
  })

  it('is treated as an outage when the same key was accepted before', async () => {
    const service = await aService(page([item('a')], 'b'), said(401, 'authorization failed'))
    const client = aClient(service.url)
    expect((await walk(client, anAccess({ acceptance: { isAccepted: false } }))).fault).toContain(
      "the same key was accepted before, so the service's database is probably down",
    )
    expect((await walk(client, anAccess({ key: 'another' }))).fault).toContain(
      'the key is wrong, expired or revoked, or',
    )
  })

  it('says nothing of other audits, which another process may have begun', async () => {
    const service = await aService(page([item('a')]), said(401, 'authorization failed'))
    const client = aClient(service.url)
    expect((await walk(client, anAccess({ acceptance: { isAccepted: false } }))).fault).toBe(null)
    const again = anAccess({ acceptance: { isAccepted: false } })
    expect((await walk(client, again)).fault).toContain('the key is wrong, expired or revoked, or')
  })
})

describe('a rate limit', () => {
  const start = Date.parse('2026-11-21T00:00:00Z')
  it.each([
    ['seconds', '7'],
    ['an absolute time in seconds since 1970', String(start / 1_000 + 7)],
    ['an HTTP date', 'Sat, 21 Nov 2026 00:00:07 GMT'],
    ['an HTTP date of the oldest form', 'Sat Nov 21 00:00:07 2026'],
  ])('is waited for as requested: %s', async (_title, header) => {
    const service = await aService(said(429, 'exceeded rate limit', { 'retry-after': header }), page([]))
    const clock = aClock(start)
    const access = anAccess()
    expect((await walk(aClient(service.url, { clock }), access)).fault).toBe(null)
    expect(clock.slept).toEqual([7_000])
    expect(access.budget.waitedMs).toBe(7_000)
  })

  it.each(['soon', '-3', '', String(start / 1_000 - 100), 'Sat, 21 Nov 2026 99:00:07 GMT'])(
    'leads to the usual pauses when it names no valid time: "%s"',
    async (header) => {
      const service = await aService(said(429, 'exceeded rate limit', { 'retry-after': header }), page([]))
      const clock = aClock(start)
      expect((await walk(aClient(service.url, { clock }))).fault).toBe(null)
      expect(clock.slept).toEqual([125])
    },
  )

  it.each(['3600', '9999999999999', String(start / 1_000 + 86_400)])(
    'beyond the budget leads to one last try after the rest of the budget (%s)',
    async (header) => {
      const service = await aService(said(429, 'exceeded rate limit', { 'retry-after': header }))
      const clock = aClock(start)
      expect((await walk(aClient(service.url, { clock }))).fault).toBe(
        'rate_limited: page 1: 429 too many requests after 2 tries, no time left for further tries; ' +
          'the service says "exceeded rate limit" (request id req-7)',
      )
      expect(clock.slept).toEqual([60_000])
    },
  )

  it('is over in time when the clock is set back meanwhile', async () => {
    let now = start
    const gate = createRateGate({ now: () => now, sleep: async () => {} })
    gate.holdFor(30_000)
    now += 10_000
    expect(gate.waitMs()).toBe(20_000)
    now -= 3_600_000
    expect(gate.waitMs()).toBe(20_000)
    now += 20_000
    expect(gate.waitMs()).toBe(0)
  })

  it('stays within the budget when the clock is set back during a request', async () => {
    const clock = aClock(start)
    const setBack: Answer = (...exchange) => {
      void clock.sleep(-7_200_000)
      said(503, 'later')(...exchange)
    }
    const service = await aService(setBack, said(429, 'exceeded rate limit', { 'retry-after': '3600' }))
    await walk(aClient(service.url, { clock }))
    expect(clock.slept.filter((ms) => ms > 60_000)).toEqual([])
  })

  it('slows every walk of the service, within the budget of each', async () => {
    const clock = aManualClock()
    const service = await aService(said(429, 'exceeded rate limit', { 'retry-after': '20' }), page([]))
    const client = aClient(service.url, { clock, limits: { retryBudgetMs: 30_000 } })
    const first = walk(client, anAccess())
    await clock.sleepers(1)
    const second = walk(client, anAccess({ budget: { waitedMs: 25_000 } }))
    const third = walk(client, anAccess(), 'subscriptions')
    await clock.sleepers(3)
    expect(service.requests.length).toBe(1)
    expect(clock.wakeTimes()).toEqual([5_000, 20_000, 20_000])
    await clock.advanceTo(5_000)
    expect((await second).fault).toBe(null)
    expect(service.requests.length).toBe(2)
    await clock.advanceTo(20_000)
    expect([await first, await third].map(({ fault }) => fault)).toEqual([null, null])
  })

  it('of one service does not slow another', async () => {
    const limited = await aService(said(429, 'exceeded rate limit', { 'retry-after': '20' }))
    const clock = aClock()
    await walk(aClient(limited.url, { clock, limits: { retries: 0 } }))
    await walk(aClient((await aService(page([]))).url, { clock }))
    expect(clock.slept).toEqual([])
  })

  it('as a 503 delays only its own walk', async () => {
    const service = await aService(said(503, 'later', { 'retry-after': '9' }), page([]))
    const clock = aClock()
    await walk(aClient(service.url, { clock }))
    expect(clock.slept).toEqual([9_000])
  })
})

describe('a stop', () => {
  it('ends a request under way', async () => {
    const stop = new AbortController()
    const service = await aService((request, response) => {
      slow(request, response)
      setImmediate(() => stop.abort())
    })
    const access = anAccess({ signal: stop.signal })
    expect((await walk(aClient(service.url), access)).fault).toBe(
      'stopped: page 1: stopped before the answer was whole',
    )
    expect(access.traffic.requests).toBe(1)
  })

  it('ends a pause, and reports its reason', async () => {
    const clock = aManualClock()
    const stop = new AbortController()
    const service = await aService(answer(500, ''))
    const walking = walk(aClient(service.url, { clock }), anAccess({ signal: stop.signal }))
    await clock.sleepers(1)
    stop.abort(new Stop('sigterm', 'SIGTERM'))
    expect((await walking).fault).toBe('sigterm: page 1: interrupted by SIGTERM')
  })

  it('lets a request under way end until it is cut, and none where all is given up', async () => {
    const reasons = [new Stop('sigterm', 'SIGTERM'), new Dropped('lost', 'another worker has it')]
    const faults = await Promise.all(
      reasons.map(async (reason) => {
        const [stop, cut] = [new AbortController(), new AbortController()]
        const service = await aService((request, response) => {
          if (reason instanceof Stop) setImmediate(() => page([])(request, response))
          stop.abort(reason)
        })
        return (await walk(aClient(service.url, { cut: cut.signal }), anAccess({ signal: stop.signal }))).fault
      }),
    )
    expect(faults).toEqual([null, 'stopped: page 1: stopped before the answer was whole: another worker has it'])
  })

  it('before the start sends no request', async () => {
    const service = await aService(page([]))
    expect(await faultIn(aClient(service.url).project(anAccess({ signal: AbortSignal.abort() })))).toMatch(
      /^stopped: project: /,
    )
    expect(service.requests).toEqual([])
  })
})

interface ManualClock extends Clock {
  /** Resolves when this many sleep. */
  sleepers(count: number): Promise<void>
  /** In milliseconds from the start, sorted. */
  wakeTimes(): number[]
  advanceTo(ms: number): Promise<void>
}

/** Starts at 0 and moves only by hand. */
function aManualClock(): ManualClock {
  let now = 0
  let waiting: { until: number; wake: () => void }[] = []
  let finished = false
  onTestFinished(() => {
    finished = true
  })
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        waiting.push({ until: now + ms, wake: resolve })
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
    async sleepers(count) {
      while (waiting.length < count && !finished) await new Promise(setImmediate)
    },
    wakeTimes: () => waiting.map(({ until }) => until).sort((a, b) => a - b),
    async advanceTo(ms) {
      now = ms
      for (const { wake } of waiting.filter(({ until }) => until <= now)) wake()
      waiting = waiting.filter(({ until }) => until > now)
    },
  }
}
