import { describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import { Stop } from '../../src/model/stop.ts'
import type { Recogniser } from '../../src/service/recognise-page.ts'
import { aClient, anAccess, aService, item, page } from './fake-service.ts'

const lost = AuditError.failure('cannot use the history', { isPassing: true })

/** Recognises nothing, and throws at a page. */
function throwingAt(page: number, error: unknown, before = () => {}): Recogniser {
  const digest = Buffer.alloc(8)
  return {
    async read(number) {
      if (number !== page) return { digest, whole: undefined, item: () => ({ digest, known: undefined }) }
      before()
      throw error
    },
  }
}

async function firstOf<Page>(pages: AsyncIterable<Page>): Promise<Page | undefined> {
  for await (const page of pages) return page
  return undefined
}

const twoPages = [page([item('a')], '2'), page([item('b')])]

describe('a history that cannot be read while a page is read', () => {
  it.each([
    ['a server that is lost', 1, lost],
    ['a server that is lost', 2, lost],
    ['a bug', 2, new TypeError('a bug')],
    ['a broken connection of the server', 2, Object.assign(new Error('gone'), { code: 'ECONNRESET' })],
  ])('ends the walk as it is, without another request: %s at page %i', async (_title, number, error) => {
    const service = await aService(...twoPages)
    const access = anAccess()
    const taken: number[] = []
    const read = (async () => {
      for await (const page of aClient(service.url).pages('endpoints', access, throwingAt(number, error))) {
        taken.push(page.number)
      }
    })()
    await expect(read).rejects.toBe(error)
    expect(taken).toEqual(number === 1 ? [] : [1])
    expect(access.traffic).toEqual({ requests: number, retries: 0, waitedMs: 0 })
  })

  it('outranks a stop that comes at the same time', async () => {
    const service = await aService(...twoPages)
    const stop = new AbortController()
    const recogniser = throwingAt(1, lost, () => stop.abort(new Stop('sigterm', 'SIGTERM')))
    const pages = aClient(service.url).pages('endpoints', anAccess({ signal: stop.signal }), recogniser)
    await expect(firstOf(pages)).rejects.toBe(lost)
  })

  it('lets other requests go on that wait for the first answer to their key', async () => {
    const service = await aService(page([item('a')]))
    const client = aClient(service.url, { patience: 'short' })
    const failing = firstOf(client.pages('endpoints', anAccess(), throwingAt(1, lost)))
    const waiting = firstOf(client.pages('endpoints', anAccess()))
    await expect(failing).rejects.toBe(lost)
    expect(await waiting).toMatchObject({ number: 1, items: [item('a')] })
  })
})
