import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { networkFailure } from '../../src/service/network-failure.ts'
import { watchReach } from '../../src/service/watch-reach.ts'
import { aClient, aClock, anAccess, aService, item, page, said, walk } from './fake-service.ts'
import { closedPort } from './front-ends.ts'

const failed = (code: string) => networkFailure(Object.assign(new Error('x'), { code }))
const never = () => new AbortController().signal

describe('a host that was never reached, for a one-shot command', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    'is not tried again from 4 s on after a try that ended with %s',
    async (code) => {
      const clock = aClock()
      const reach = watchReach(clock, 5_000, never)
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
      const reach = watchReach(clock, 5_000, never)
      reach.begin()
      reach.ended(failed(code))
      await clock.sleep(60_000)
      reach.ended(failed('ECONNREFUSED'))
      expect(reach.over(60_000)).toBe(undefined)
    },
  )

  it('has one try that may take as long as connect_timeout says', async () => {
    const clock = aClock()
    const limits: number[] = []
    const reach = watchReach(clock, 8_000, (ms) => {
      limits.push(ms)
      return never()
    })
    reach.begin()
    reach.begin()
    reach.ended(failed('UND_ERR_CONNECT_TIMEOUT'))
    expect(limits).toEqual([8_000])
  })

  it('ends tries under way at its time, unless a connection was made', () => {
    for (const isReached of [false, true]) {
      const limit = new AbortController()
      const reach = watchReach(aClock(), 5_000, () => limit.signal)
      const signal = reach.begin()
      if (isReached) reach.reached()
      limit.abort()
      expect(signal.aborted).toBe(!isReached)
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
    const timeoutAfter = (ms: number) => (ms === 5_000 ? AbortSignal.timeout(20) : AbortSignal.timeout(ms))
    const client = aClient(`https://127.0.0.1:${port}`, { patience: 'short', timeoutAfter })
    expect((await walk(client)).fault).toMatch(/^timeout: page 1: no connection in time/)
  })
})
