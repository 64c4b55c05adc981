import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { ask } from './ask.ts'

let service: SimulatedService
beforeEach(async () => {
  service = await startSimulatedService(generateFleet())
})
afterEach(() => service.close())

describe('a fault', () => {
  it.each(['reset', 'cut-body'] as const)('ends the connection: %s', async (how) => {
    service.failNext({ how })
    await expect(ask(service, '/endpoints')).rejects.toThrow()
    expect((await ask(service, '/endpoints')).status).toBe(200)
  })

  it.each(['hang', 'stall-body'] as const)('delays the answer: %s', async (how) => {
    service.failNext({ how })
    await expect(ask(service, '/endpoints', { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/)
  })

  it('answers with another status, body and headers', async () => {
    service.failNext({
      how: 'status',
      status: 503,
      body: 'busy',
      headers: { 'content-type': 'text/plain', 'retry-after': '7' },
    })
    const { status, text, headers } = await ask(service, '/endpoints')
    expect([status, text, headers.get('retry-after'), headers.get('content-type')]).toEqual([
      503,
      'busy',
      '7',
      'text/plain',
    ])
  })

  it('answers with a page, with half a text, with another shape, and without an end', async () => {
    for (const how of ['html', 'bad-json', 'wrong-shape', 'endless'] as const)
      service.faults.push({ how, path: /endpoints/ })
    expect((await ask(service, '/endpoints')).headers.get('content-type')).toBe('text/html')
    const cut = await ask(service, '/endpoints')
    expect(() => JSON.parse(cut.text)).toThrow()
    expect((await ask(service, '/endpoints')).json.data).toMatchObject({
      content: { items: {} },
      pagination: { has_next_page: 'yes' },
    })
    const { content, pagination } = (await ask(service, '/endpoints')).json.data
    expect(pagination).toMatchObject({ has_next_page: true, next_page_cursor: content[0].uid })
  })

  it('applies to the named page, as often as configured', async () => {
    service.faults.push({ how: 'status', status: 500, path: /\/subscriptions/, page: 3, times: 2 })
    const statuses: number[] = []
    for (let cursor = '', tries = 0, more = true; more && tries < 12; tries++) {
      const { status, json } = await ask(service, `/subscriptions?perPage=5&next_page_cursor=${cursor}`)
      statuses.push(status)
      if (status !== 200) continue
      more = json.data.pagination.has_next_page
      cursor = json.data.pagination.next_page_cursor
    }
    expect(statuses).toEqual([200, 200, 500, 500, 200, 200, 200])
  })

  it('skips the first answers', async () => {
    service.failNext({ how: 'status', status: 500, skip: 1, times: Number.POSITIVE_INFINITY })
    const statuses = [await ask(service, '/endpoints'), await ask(service, '/endpoints'), await ask(service, '')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 500, 500])
  })

  it('rewrites an answer', async () => {
    service.failNext({ how: 'rewrite', body: (text) => text.replaceAll('"active"', '"asleep"') })
    expect((await ask(service, '/endpoints')).text).toContain('"status":"asleep"')
  })
})
