import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { answerInThread, type ThreadRequest } from '../../src/app/serving/answer-in-thread.ts'

function open(timeoutMs = 30_000) {
  const started: Worker[] = []
  const crashes: Error[] = []
  /** The addresses that threads were asked for. */
  const begun: string[] = []
  const { answer, close } = answerInThread({
    start: () => {
      const worker = new Worker(new URL('thread.ts', import.meta.url))
      started.push(worker)
      const post = worker.postMessage.bind(worker)
      worker.postMessage = (message: ThreadRequest) => {
        begun.push(new URL(message.url).pathname)
        post(message)
      }
      return worker
    },
    onCrash: (error) => crashes.push(error),
    timeoutMs,
  })
  const ask = (path: string, init: RequestInit = {}) =>
    answer(new Request(`http://localhost${path}`, { headers: { host: 'localhost' }, ...init }), '127.0.0.1')
  return { ask, started, crashes, begun, [Symbol.asyncDispose]: close }
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

  it('is asked for a few at a time, and never for a client that left', async () => {
    await using thread = open()
    const held = Array.from({ length: 3 }, () => thread.ask('/never'))
    const left = new AbortController()
    const last = thread.ask('/crash')
    const gone = thread.ask('/gone', { signal: left.signal })
    const next = thread.ask('/next')
    left.abort()
    expect((await gone).status).toBe(503)
    // Those that were begun end with the thread.
    expect((await Promise.all([...held, last])).map(({ status }) => status)).toEqual([503, 503, 503, 503])
    expect(await (await next).text()).toBe('GET /next ')
    expect(thread.begun).toEqual(['/never', '/never', '/never', '/crash', '/next'])
    expect((await thread.ask('/late', { signal: left.signal })).status).toBe(503)
    expect(thread.begun).toHaveLength(5)
  })

  it('says when to come again, and what its answer holds', async () => {
    await using thread = open()
    expect((await thread.ask('/crash')).headers.get('retry-after')).toBe('10')
    expect((await thread.ask('/a')).headers.get('content-length')).toBe(String('GET /a '.length))
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
