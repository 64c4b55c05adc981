import type { Worker } from 'node:worker_threads'
import type { Answering } from './listen.ts'
import { mostBodyBytes, readBody } from './read-body.ts'
import type { ThreadRequest, ThreadResponse } from './thread-messages.ts'

export interface ThreadAnswering {
  readonly answer: Answering
  close(): Promise<void>
}

interface ThreadOptions {
  /** Starts the thread, which calls `answerRequests`. */
  start(): Worker
  /** For the log: the thread ended with an error. The next request starts another one. */
  onCrash(error: Error): void
  /** How long a request may take, in milliseconds. */
  readonly timeoutMs: number
}

const methods = ['GET', 'HEAD', 'POST']
/** More requests at once wait in no queue. */
const mostWaiting = 200

/** Answers requests in a thread of its own, so that they delay nothing else that the process does. */
export function answerInThread({ start, onCrash, timeoutMs }: ThreadOptions): ThreadAnswering {
  const waiting = new Map<number, (response: ThreadResponse | undefined) => void>()
  let running: Worker | undefined
  let asked = 0
  const endAll = () => {
    for (const end of waiting.values()) end(undefined)
  }
  const thread = () => {
    if (running !== undefined) return running
    const started = start()
    running = started
    started.on('message', (response: ThreadResponse) => waiting.get(response.id)?.(response))
    started.on('error', onCrash)
    started.once('exit', () => {
      if (running === started) running = undefined
      endAll()
    })
    return started
  }
  const ask = (request: Omit<ThreadRequest, 'id'>) =>
    new Promise<ThreadResponse | undefined>((resolve) => {
      const id = asked++
      const late = setTimeout(() => waiting.get(id)?.(undefined), timeoutMs)
      waiting.set(id, (response) => {
        clearTimeout(late)
        waiting.delete(id)
        resolve(response)
      })
      thread().postMessage({ ...request, id } satisfies ThreadRequest)
    })
  return {
    async answer(request, peer) {
      // A request of another method cannot even be made again in the thread.
      if (!methods.includes(request.method)) {
        return refuse(405, 'only GET, HEAD and POST\n', { allow: methods.join(', ') })
      }
      if (waiting.size >= mostWaiting) return refuse(503, 'too many requests wait\n')
      const body = await readBody(request)
      if (body === undefined) return refuse(413, `more than ${mostBodyBytes} bytes\n`)
      const { url, method, headers } = request
      const response = await ask({ url, method, headers: [...headers], body: new Uint8Array(body).buffer, peer })
      if (response === undefined) return refuse(503, 'the pages do not answer now: the log of the worker says why\n')
      const isEmpty = response.status === 204 || response.status === 304
      return new Response(isEmpty ? null : response.body, response)
    },
    async close() {
      await running?.terminate()
      endAll()
    },
  }
}

function refuse(status: number, text: string, more: Readonly<Record<string, string>> = {}): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...more }
  return new Response(text, { status, headers })
}
