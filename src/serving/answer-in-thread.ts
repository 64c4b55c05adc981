import { askThread, type ThreadOptions } from './ask-thread.ts'
import type { RequestHandler } from './listen.ts'
import { mostBodyBytes, readBody } from './read-body.ts'
import { streamBytes } from './stream-bytes.ts'
import type { ThreadResponse } from './thread-messages.ts'

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
      const asked = { url, method, headers: [...headers], body: new Uint8Array(body).buffer, peer }
      const response = await thread.ask(asked, request.signal)
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
