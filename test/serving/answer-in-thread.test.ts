import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { answerInThread } from '../../src/serving/answer-in-thread.ts'

function open(timeoutMs = 30_000) {
  const started: Worker[] = []
  const crashes: Error[] = []
  const { answer, close } = answerInThread({
    start: () => {
      const worker = new Worker(new URL('thread.ts', import.meta.url))
      started.push(worker)
      return worker
    },
    onCrash: (error) => crashes.push(error),
    timeoutMs,
  })
  const ask = (path: string, init: RequestInit = {}) =>
    answer(new Request(`http://localhost${path}`, { headers: { host: 'localhost' }, ...init }), '127.0.0.1')
  return { ask, started, crashes, [Symbol.asyncDispose]: close }
}

describe('a thread that answers', () => {
  it('is not started before it is asked, and gets all of a request', async () => {
    await using thread = open()
    expect(thread.started).toHaveLength(0)
    const answer = await thread.ask('/a', { method: 'POST', body: 'x=1' })
    expect([answer.status, await answer.text()]).toEqual([201, 'POST /a x=1'])
    expect([answer.headers.get('x-peer'), answer.headers.getSetCookie()]).toEqual(['127.0.0.1', ['a=1', 'b=2']])
    const [one, two] = await Promise.all([thread.ask('/one'), thread.ask('/two')])
    expect([await one.text(), await two.text()]).toEqual(['GET /one ', 'GET /two '])
    expect(thread.started).toHaveLength(1)
  })

  it('keeps the header that says which name was asked', async () => {
    await using thread = open()
    expect((await thread.ask('/', { headers: { host: 'evil.example' } })).headers.get('x-host')).toBe('evil.example')
  })

  it('may answer without a body', async () => {
    await using thread = open()
    const { status, headers } = await thread.ask('/kept')
    expect([status, headers.get('etag')]).toEqual([304, '"1"'])
  })

  it('that ends is an answer 503, and the next request starts another one', async () => {
    await using thread = open()
    expect((await thread.ask('/crash')).status).toBe(503)
    expect((await thread.ask('/a')).status).toBe(201)
    expect(thread.started).toHaveLength(2)
  })

  it('that takes too long is an answer 503', async () => {
    await using thread = open(1)
    expect((await thread.ask('/never')).status).toBe(503)
  })

  it('gets no long bodies and no other methods', async () => {
    await using thread = open()
    expect((await thread.ask('/', { method: 'POST', body: 'x'.repeat(4097) })).status).toBe(413)
    expect((await thread.ask('/', { method: 'DELETE' })).status).toBe(405)
    expect(thread.started).toHaveLength(0)
  })

  it('ends with its starter, and so does what waits', async () => {
    const thread = open()
    const waiting = thread.ask('/never')
    await new Promise((resolve) => setImmediate(resolve))
    const [worker] = thread.started
    if (worker === undefined) throw new Error('it was not started')
    await once(worker, 'online')
    await thread[Symbol.asyncDispose]()
    expect((await waiting).status).toBe(503)
  })
})
