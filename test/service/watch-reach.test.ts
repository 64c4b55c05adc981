import { createServer } from 'node:net'
import pLimit from 'p-limit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { networkFailure } from '../../src/gateway/service/network-failure.ts'
import type { Patience } from '../../src/gateway/service/settings.ts'
import { watchReach } from '../../src/gateway/service/watch-reach.ts'
import { bareWhat } from '../../src/report/describe-failures.ts'
import { aClient, aClock, anAccess, aService, item, page, said, walk } from './fake-service.ts'
import { closedPort } from './front-ends.ts'
import { answerLookups } from './name-server.ts'

const failed = (code: string) => networkFailure(Object.assign(new Error('x'), { code }))
const never = () => new AbortController().signal

describe('a host that was never reached, for a one-shot command', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    'is not tried again from 4 s on after a try that ended with %s',
    async (code) => {
      const clock = aClock()
      const reach = watchReach(clock, 5_000, 'short', never)
      expect(reach.over(60_000)).toBe(undefined)
      reach.begin()
      reach.ended(failed(code))
      expect([reach.over(), reach.over(3_999)]).toEqual([undefined, undefined])
      expect(reach.over(4_000)).toEqual(failed(code))
      await clock.sleep(3_000)
      reach.begin()
      await clock.sleep(1_000)
      expect(reach.over()).toEqual(failed(code))
    },
  )

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'CERT_HAS_EXPIRED', 'HPE_INVALID_CONSTANT'])(
    'is not one whose connection ended with %s: something is there',
    async (code) => {
      const clock = aClock()
      const reach = watchReach(clock, 5_000, 'short', never)
      reach.begin()
      reach.ended(failed(code))
      await clock.sleep(60_000)
      reach.ended(failed('ECONNREFUSED'))
      expect(reach.over(60_000)).toBe(undefined)
    },
  )

  it('has one try that may take as long as connect_timeout says', async () => {
    const clock = aClock()
    const ended: number[] = []
    const reach = watchReach(clock, 8_000, 'short', (ms) => {
      ended.push(ms)
      return never()
    })
    reach.begin()
    reach.begin()
    reach.ended(failed('UND_ERR_CONNECT_TIMEOUT'))
    expect(ended).toEqual([8_000])
  })

  it('ends tries under way at its time, unless a connection was made', () => {
    for (const isReached of [false, true]) {
      const limit = new AbortController()
      const reach = watchReach(aClock(), 5_000, 'short', () => limit.signal)
      const signal = reach.begin()
      if (isReached) reach.reached()
      limit.abort()
      expect(signal?.aborted).toBe(!isReached)
    }
  })

  it('costs 4 s over all listings and projects', async () => {
    const clock = aClock()
    const start = clock.now()
    const limits = { retries: 100, retryBudgetMs: 600_000 }
    const client = aClient(`http://127.0.0.1:${await closedPort()}`, { clock, limits, patience: 'short' })
    const accesses = Array.from({ length: 30 }, () => anAccess())
    const faults = []
    for (const access of accesses) faults.push((await walk(client, access)).fault)
    expect(clock.now() - start).toBeLessThanOrEqual(4_000)
    expect(faults[0]).toMatch(/^network: page 1: connection refused after \d tries, no time left for further tries$/)
    expect(new Set(faults.slice(1))).toEqual(new Set(['network: page 1: connection refused']))
    // A try must not begin when the time is over.
    await clock.sleep(5_000)
    const late = anAccess()
    await walk(client, late)
    expect(late.traffic.requests).toBe(0)
  })

  it('is tried for the whole retry budget where patience is long', async () => {
    const clock = aClock()
    const start = clock.now()
    const client = aClient(`http://127.0.0.1:${await closedPort()}`, { clock, limits: { retries: 100 } })
    await walk(client)
    expect(clock.now() - start).toBeGreaterThan(50_000)
  })

  it('has the whole retry budget once it answered', async () => {
    const port = await closedPort()
    const service = await aService(page([item('a')]))
    const clock = aClock()
    const client = aClient(service.url, { clock, limits: { retries: 100 }, patience: 'short' })
    expect((await walk(client)).fault).toBe(null)
    expect(port).toBeGreaterThan(0)
    service.server.closeAllConnections()
    await new Promise((resolve) => service.server.close(resolve))
    const before = clock.now()
    expect((await walk(client)).fault).toMatch(/^network: page 1: connection refused after/)
    expect(clock.now() - before).toBeGreaterThan(50_000)
  })

  it('is one that refuses keys or answers 503, which has the whole budget', async () => {
    const clock = aClock()
    const start = clock.now()
    const service = await aService(said(503, 'later'))
    await walk(aClient(service.url, { clock, limits: { retries: 100 }, patience: 'short' }))
    expect(clock.now() - start).toBeGreaterThan(50_000)
  })

  it('that drops what is sent to it ends at the time limit, although the connection is never made', async () => {
    const server = createServer((socket) => onTestFinished(() => void socket.destroy()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    // TLS is never answered. The limit of 5 s is over at once.
    const clock = aClock()
    const timeoutAfter = (ms: number) => {
      if (ms === 5_000) void clock.sleep(ms)
      return AbortSignal.timeout(ms === 5_000 ? 20 : ms)
    }
    const limits = { connectTimeoutMs: 1_000 }
    const client = aClient(`https://127.0.0.1:${port}`, { patience: 'short', clock, limits, timeoutAfter })
    expect((await walk(client)).fault).toMatch(/^timeout: page 1: no connection in time/)
  })
})

describe('a name that does not resolve', () => {
  /** Walks of so many projects, some at a time, each with a key of its own: none waits for the answer to another. */
  async function walkAll(projects: number, patience: Patience, most = 4) {
    const clock = aClock()
    const startedAt = clock.now()
    const client = aClient('http://hooks.invalid', { clock, patience, timeoutAfter: never })
    const accesses = Array.from({ length: projects }, (_, index) => anAccess({ key: `not-a-real-key-${index}` }))
    const atOnce = pLimit(most)
    const walks = await Promise.all(accesses.map((access) => atOnce(() => walk(client, access))))
    const faults = walks.map(({ fault }) => fault && bareWhat(fault.replace(/^\w+: /, '')))
    return { causes: [...new Set(faults)], waitedMs: clock.now() - startedAt, client }
  }

  it.each([1, 4, 30])('costs %i projects no wait and no question after the first ones', async (projects) => {
    const lookups = answerLookups('ENOTFOUND')
    const { causes, waitedMs } = await walkAll(projects, 'short')
    expect(causes).toEqual(['host name not found'])
    expect(waitedMs).toBe(0)
    expect(lookups.length).toBeLessThanOrEqual(4)
  })

  it('ends questions under way, which the name server leaves without an answer', async () => {
    answerLookups('ENOTFOUND', null)
    expect((await walkAll(30, 'short')).causes).toEqual(['host name not found'])
  })

  it('for now is asked for again within 4 s, over all projects, and is one cause', async () => {
    const lookups = answerLookups('EAI_AGAIN')
    const { causes, waitedMs, client } = await walkAll(30, 'short')
    expect(causes).toEqual(['host name cannot be resolved now'])
    expect(waitedMs).toBeLessThanOrEqual(4_000)
    const before = lookups.length
    expect(before).toBeLessThanOrEqual(4 * 5)
    const late = anAccess()
    expect((await walk(client, late)).fault).toBe('unknown_host: page 1: host name cannot be resolved now')
    expect([lookups.length - before, late.traffic.requests]).toEqual([0, 0])
  })

  it('for now, and then gets no answer in time, is still that cause', () => {
    const reach = watchReach(aClock(), 5_000, 'short', never)
    reach.begin()
    expect(reach.ended(failed('UND_ERR_CONNECT_TIMEOUT')).kind).toBe('timeout')
    expect(reach.ended(failed('EAI_AGAIN'))).toEqual(failed('EAI_AGAIN'))
    expect(reach.ended(failed('UND_ERR_CONNECT_TIMEOUT'))).toEqual(failed('EAI_AGAIN'))
    expect(reach.ended(failed('ECONNREFUSED'))).toEqual(failed('ECONNREFUSED'))
  })

  it('for now, and then is not known at all, is one cause from when a request gave up', async () => {
    // The tries of one request.
    answerLookups(...Array.from({ length: 5 }, () => 'EAI_AGAIN'), 'ENOTFOUND')
    expect((await walkAll(30, 'short', 1)).causes).toEqual(['host name cannot be resolved now'])
  })

  it('for a second does no harm', async () => {
    const { url } = await aService(page([item('a')]))
    answerLookups('EAI_AGAIN', 'EAI_AGAIN', '127.0.0.1')
    for (const patience of ['short', 'long'] as const) {
      const client = aClient(url.replace('127.0.0.1', 'hooks.invalid'), { patience })
      expect((await walk(client)).fault).toBe(null)
    }
  })

  it('after a connection was made ends its own request only', () => {
    const reach = watchReach(aClock(), 5_000, 'short', never)
    reach.begin()
    reach.reached()
    reach.ended(failed('ENOTFOUND'))
    reach.giveUp()
    expect([reach.over(), reach.begin()]).toEqual([undefined, undefined])
  })

  it.each(['ENOTFOUND', 'EAI_AGAIN'])(
    'is asked for again by a worker within 4 s, over all projects: %s',
    async (code) => {
      const lookups = answerLookups(code)
      const { causes, waitedMs } = await walkAll(1_000, 'long')
      expect(causes).toHaveLength(1)
      expect(waitedMs).toBeGreaterThan(1_000)
      expect(waitedMs).toBeLessThanOrEqual(4_000)
      expect(lookups.length).toBeLessThanOrEqual(4 * 5)
    },
  )

  it('ends tries of a worker under way at its time, which others do not', () => {
    for (const [code, isEnded] of [
      ['EAI_AGAIN', true],
      ['ECONNREFUSED', false],
    ] as const) {
      const limit = new AbortController()
      const reach = watchReach(aClock(), 5_000, 'long', () => limit.signal)
      const signal = reach.begin()
      reach.ended(failed(code))
      limit.abort()
      expect(signal?.aborted).toBe(isEnded)
    }
  })

  it.each(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_CONNECT_TIMEOUT'])(
    'is not what a worker takes %s for: it has the retry budget of each project',
    async (code) => {
      const clock = aClock()
      const reach = watchReach(clock, 5_000, 'long', never)
      reach.begin()
      await clock.sleep(120_000)
      expect(reach.ended(failed(code))).toEqual(failed(code))
      expect(reach.over(60_000)).toBe(undefined)
    },
  )
})
