import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { askAhead } from '../../src/gateway/service/read-pages.ts'
import type { Reply } from '../../src/gateway/service/reply.ts'
import { Stop } from '../../src/model/stop.ts'
import { type Answer, aClient, aClock, anAccess, answer, aService, item, page, pageBody, said } from './fake-service.ts'

/** Resolves when a condition holds; the test's own time limit bounds it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn()
}

/** Some turns of the event loop: enough for what would happen to happen. */
async function awhile(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await nextTurn()
}

const threePages = [page([item('a')], '2'), page([item('b')], '3'), page([item('c')])]

/** Never answers; says when the client has gone away. */
function silence(): { answer: Answer; closed: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { answer: (_request, response) => void response.on('close', resolve), closed: promise }
}

beforeEach(() => void vi.spyOn(JSON, 'parse'))
afterEach(() => void vi.restoreAllMocks())

function isParsed(uid: string): boolean {
  return vi.mocked(JSON.parse).mock.calls.some(([text]) => text.includes(`"uid":"${uid}"`))
}

describe('the next page', () => {
  it('is asked for while this one is taken, and the one after it is not', async () => {
    const service = await aService(...threePages)
    const access = anAccess()
    const pages = aClient(service.url).pages('endpoints', access)[Symbol.asyncIterator]()
    for (const asked of [2, 3, 3]) {
      await pages.next()
      await until(() => service.requests.length === asked)
      await awhile()
      expect(service.requests.length).toBe(asked)
      expect(access.traffic).toEqual({ requests: asked, retries: 0 })
      expect(access.budget.waitedMs).toBe(0)
    }
    expect(await pages.next()).toEqual({ done: true, value: undefined })
  })

  it('is parsed only after this one was taken', async () => {
    const service = await aService(...threePages)
    const uids = ['a', 'b', 'c']
    for await (const { number } of aClient(service.url).pages('endpoints', anAccess())) {
      await until(() => service.requests.length === Math.min(number + 1, 3))
      await awhile()
      expect(uids.filter(isParsed)).toEqual(uids.slice(0, number))
    }
    expect(uids.filter(isParsed)).toEqual(uids)
  })

  it('is asked for while the first part of a large page is taken, and parsed after the last', async () => {
    const large = Array.from({ length: 40 }, (_, at) => item(`large-${at}`, { text: 'x'.repeat(64 * 1024) }))
    const service = await aService(page(large, '2'), page([item('b')]))
    const parts: number[] = []
    for await (const { number } of aClient(service.url).pages('endpoints', anAccess())) {
      parts.push(number)
      await until(() => service.requests.length === 2)
      await awhile()
      expect(isParsed('b')).toBe(number === 2)
    }
    expect(parts.filter((number) => number === 1).length).toBeGreaterThan(1)
    expect(parts.at(-1)).toBe(2)
  })

  it('has its time limit from when it is wanted', async () => {
    const limits: AbortController[] = []
    const timeoutAfter = () => {
      const limit = new AbortController()
      limits.push(limit)
      return limit.signal
    }
    let arrived = 0
    const late: Answer = (_request, response) => {
      arrived += 1
      if (arrived === 1) limits.at(-1)?.abort()
      else page([item('b')])(_request, response)
    }
    const service = await aService(page([item('a')], '2'), late)
    const access = anAccess()
    const pages = aClient(service.url, { timeoutAfter }).pages('endpoints', access)[Symbol.asyncIterator]()
    await pages.next()
    await until(() => arrived === 1)
    await awhile()
    // That of the first page: the second has none yet.
    expect(limits.length).toBe(1)
    const second = pages.next()
    await until(() => limits.length === 2)
    limits[1]?.abort()
    expect(await second).toMatchObject({ value: { number: 2, items: [item('b')] } })
    expect(access.traffic).toMatchObject({ requests: 3, retries: 1 })
  })

  it.each<[string, Answer]>([
    ['a 503', said(503, 'later')],
    ['a body that breaks off', answer(200, JSON.stringify(pageBody([item('b')])).slice(0, 40))],
  ])('is tried again once it is wanted, and the time until then is not waiting: %s', async (_title, failing) => {
    const service = await aService(page([item('a')], '2'), failing, page([item('b')]))
    const clock = aClock()
    const access = anAccess()
    const pages = aClient(service.url, { clock }).pages('endpoints', access)[Symbol.asyncIterator]()
    await pages.next()
    await until(() => service.requests.length === 2)
    await clock.sleep(50_000)
    await awhile()
    expect(service.requests.length).toBe(2)
    expect(await pages.next()).toMatchObject({ value: { number: 2, items: [item('b')] } })
    expect(access.traffic).toEqual({ requests: 3, retries: 1 })
    expect(access.budget.waitedMs).toBe(125)
  })

  it('lets a 429 slow other walks at once, and waits itself when it is wanted', async () => {
    const service = await aService(page([item('a')], '2'), said(429, 'slow', { 'retry-after': '7' }), page([item('b')]))
    const clock = aClock()
    const access = anAccess()
    const client = aClient(service.url, { clock })
    const pages = client.pages('endpoints', access)[Symbol.asyncIterator]()
    await pages.next()
    await until(() => service.requests.length === 2)
    await awhile()
    expect(clock.slept).toEqual([])
    const other = anAccess({ projectUid: 'project-2' })
    await client.project(other).catch(() => {})
    expect(other.budget.waitedMs).toBe(7_000)
    await pages.next()
    expect(access.traffic).toMatchObject({ requests: 3, retries: 1 })
  })

  it('is not asked for beyond the most pages of a walk', async () => {
    const service = await aService(...threePages)
    const pages = aClient(service.url, { limits: { maxPages: 2 } }).pages('endpoints', anAccess())
    const read = (async () => {
      for await (const { number } of pages) await until(() => service.requests.length >= Math.min(number + 1, 2))
    })()
    await expect(read).rejects.toThrow('has no end within the configured number of pages')
    expect(service.requests.length).toBe(2)
  })

  it('is not asked for after a page that is not good', async () => {
    const service = await aService(page([item('a', { project_id: 'project-2' })], '2'), page([item('b')]))
    const pages = aClient(service.url).pages('endpoints', anAccess())[Symbol.asyncIterator]()
    await expect(pages.next()).rejects.toThrow('belongs to another project')
    await awhile()
    expect(service.requests.length).toBe(1)
  })
})

describe('a walk that ends while the next page is under way', () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  const watch = () => {
    unhandled.length = 0
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
  }

  it('breaks that request off when its reader stops', async () => {
    watch()
    const { answer: silent, closed } = silence()
    const service = await aService(page([item('a')], '2'), silent)
    for await (const _ of aClient(service.url).pages('endpoints', anAccess())) {
      await until(() => service.requests.length === 2)
      break
    }
    await closed
    await awhile()
    expect(unhandled).toEqual([])
  })

  it('reads nothing of an answer that has come when its reader fails', async () => {
    watch()
    const service = await aService(...threePages)
    const read = (async () => {
      for await (const _ of aClient(service.url).pages('endpoints', anAccess())) {
        await until(() => service.requests.length === 2)
        await awhile()
        throw new Error('the disk is full')
      }
    })()
    await expect(read).rejects.toThrow('the disk is full')
    await awhile()
    expect([isParsed('a'), isParsed('b')]).toEqual([true, false])
    expect({ unhandled, requests: service.requests.length }).toEqual({ unhandled: [], requests: 2 })
  })

  it('ends with the stop when one comes', async () => {
    watch()
    const { answer: silent, closed } = silence()
    const service = await aService(page([item('a')], '2'), silent)
    const stop = new AbortController()
    const pages = aClient(service.url)
      .pages('endpoints', anAccess({ signal: stop.signal }))
      [Symbol.asyncIterator]()
    await pages.next()
    await until(() => service.requests.length === 2)
    stop.abort(new Stop('sigterm', 'SIGTERM'))
    await closed
    await awhile()
    await expect(pages.next()).rejects.toMatchObject({ kind: 'sigterm' })
    expect(unhandled).toEqual([])
  })

  it('does not wait for a service that asked for a pause', async () => {
    watch()
    const service = await aService(page([item('a')], '2'), said(429, 'slow', { 'retry-after': '30' }))
    const clock = aClock()
    for await (const _ of aClient(service.url, { clock }).pages('endpoints', anAccess())) {
      await until(() => service.requests.length === 2)
      await awhile()
      break
    }
    await awhile()
    expect({ slept: clock.slept, requests: service.requests.length, unhandled }).toEqual({
      slept: [],
      requests: 2,
      unhandled: [],
    })
  })

  it('hands an error on to who takes the answer, and loses it otherwise', async () => {
    watch()
    const failing = () => Promise.reject<Reply>(new Error('a bug'))
    askAhead(failing).abandon()
    const taken = askAhead(failing)
    await awhile()
    await expect(taken.take()).rejects.toThrow('a bug')
    expect(unhandled).toEqual([])
  })
})
