import type { MessagePort, Worker } from 'node:worker_threads'
import { Hono } from 'hono'
import type { RequestHandler } from './listen.ts'
import { refuseRequest } from './refuse-request.ts'
import { gatherBytes, mostBodyBytes, readBody, streamBytes } from './stream-bytes.ts'

export interface ThreadAnswering {
  readonly answer: RequestHandler
  /** Starts the thread, so that the first request does not wait for that. */
  start(): void
  /** The next request starts another thread. */
  replace(): void
  close(): Promise<void>
}

const methods = ['GET', 'HEAD', 'POST']

/** Further requests are refused. */
const mostWaiting = 200

/** Answers requests in a thread of its own, so that they delay nothing else that the process does. */
export function answerInThread(options: ThreadOptions): ThreadAnswering {
  const thread = askThread(options)
  return {
    async answer(request, peer) {
      // A request of another method cannot even be made again in the thread.
      if (!methods.includes(request.method)) {
        return refuse(405, 'only GET, HEAD and POST\n', { allow: methods.join(', ') })
      }
      if (thread.waiting() >= mostWaiting) return refuse(503, 'too many requests wait\n', later)
      const body = await readBody(request)
      if (body === undefined) return refuse(413, `more than ${mostBodyBytes} bytes\n`)
      const { url, method, headers } = request
      const message = { url, method, headers: [...headers], body: new Uint8Array(body).buffer, peer }
      const response = await thread.ask(message, request.signal)
      if (response === undefined) {
        return refuse(503, 'the pages do not answer now: the log of hookdrift says why\n', later)
      }
      return toResponse(response)
    },
    start: () => thread.start(),
    replace: () => thread.replace(),
    close: () => thread.close(),
  }
}

function toResponse({ status, headers, body }: ThreadResponse): Response {
  // A status of these has no body, and an answer to HEAD only its headers.
  if (status === 204 || status === 304 || body.byteLength === 0) return new Response(null, { status, headers })
  const sized: [string, string][] = [...headers, ['content-length', String(body.byteLength)]]
  return new Response(streamBytes(new Uint8Array(body)), { status, headers: sized })
}

const later = { 'retry-after': '10' }

function refuse(status: number, text: string, more: Readonly<Record<string, string>> = {}): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...more }
  return new Response(text, { status, headers })
}

interface ThreadOptions {
  /** Starts the thread, which calls `answerRequests`. */
  start(): Worker
  /** For the log: the thread ended with an error. The next request starts another one. */
  onCrash(error: Error): void
  /** How long a request may take, in milliseconds. */
  readonly timeoutMs: number
}

interface AnsweringThread {
  /** undefined when no answer came: the thread ended, or it took too long, or `signal` says that the client left. */
  ask(request: Omit<ThreadRequest, 'id'>, signal: AbortSignal): Promise<ThreadResponse | undefined>
  /** How many requests wait for their answer. */
  waiting(): number
  /** Starts the thread, so that the first request does not wait for that. */
  start(): void
  /** The next request starts another thread. Requests that this one was answering get no answer. */
  replace(): void
  close(): Promise<void>
}

/** More at once would hold more in memory, and answer none sooner. What waits longer than it may is never begun. */
const mostAtOnce = 4

/** Asks a thread some requests at a time, and starts it again after it ended. */
function askThread({ start, onCrash, timeoutMs }: ThreadOptions): AnsweringThread {
  const waiting = new Map<number, (response: ThreadResponse | undefined) => void>()
  const queue = new Map<number, ThreadRequest>()
  const begun = new Map<number, Worker>()
  let running: Worker | undefined
  let pending = 0
  const thread = () => {
    if (running !== undefined) return running
    const started = start()
    running = started
    started.on('message', (response: ThreadResponse) => {
      begun.delete(response.id)
      waiting.get(response.id)?.(response)
      goOn()
    })
    started.on('error', onCrash)
    started.once('exit', () => {
      if (running === started) running = undefined
      for (const [id, answering] of begun) {
        if (answering !== started) continue
        begun.delete(id)
        waiting.get(id)?.(undefined)
      }
      goOn()
    })
    return started
  }
  const goOn = () => {
    for (const [id, request] of queue) {
      if (begun.size >= mostAtOnce) return
      queue.delete(id)
      const answering = thread()
      begun.set(id, answering)
      answering.postMessage(request)
    }
  }
  return {
    ask: (request, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined)
        const id = pending++
        const giveUp = () => waiting.get(id)?.(undefined)
        const late = setTimeout(giveUp, timeoutMs)
        waiting.set(id, (response) => {
          clearTimeout(late)
          signal.removeEventListener('abort', giveUp)
          waiting.delete(id)
          queue.delete(id)
          resolve(response)
        })
        signal.addEventListener('abort', giveUp)
        queue.set(id, { ...request, id })
        goOn()
      }),
    waiting: () => waiting.size,
    start: () => void thread(),
    replace() {
      void running?.terminate()
      running = undefined
    },
    async close() {
      queue.clear()
      await running?.terminate()
      for (const end of waiting.values()) end(undefined)
    },
  }
}

/** In a thread: answers the requests that its starter passes on. `answer` does not throw. */
export function answerRequests(port: MessagePort, answer: RequestHandler): void {
  port.on('message', async ({ id, url, method, headers, body, peer }: ThreadRequest) => {
    const request = new Request(url, {
      method,
      headers,
      ...(body.byteLength === 0 ? {} : { body }),
    })
    const response = await answer(request, peer)
    const { buffer } = response.body === null ? new Uint8Array() : await gatherBytes(response.body)
    const message: ThreadResponse = { id, status: response.status, headers: [...response.headers], body: buffer }
    port.postMessage(message, [buffer])
  })
}

/** A request that a thread answers. Plain values: a request itself does not leave its thread. */
export interface ThreadRequest {
  readonly id: number
  readonly url: string
  readonly method: string
  readonly headers: [name: string, value: string][]
  /** Empty where there is none. */
  readonly body: ArrayBuffer
  readonly peer: string | undefined
}

interface ThreadResponse {
  readonly id: number
  readonly status: number
  readonly headers: [name: string, value: string][]
  readonly body: ArrayBuffer
}

const path = '/healthz'

/** Says that the process lives, however busy the pages are; they answer everything else. */
export function answerHealth(
  isHostOfPort: (host: string | undefined) => boolean,
  pages: RequestHandler,
): RequestHandler {
  const health = new Hono()
  health.use(refuseRequest({ isHostOfPort }))
  health.get(path, (context) =>
    context.text('alive\n', 200, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }),
  )
  return (request, peer) => (new URL(request.url).pathname === path ? health.fetch(request) : pages(request, peer))
}
