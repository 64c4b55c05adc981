import type { MessagePort } from 'node:worker_threads'
import type { RequestHandler } from './listen.ts'
import { gatherBytes } from './stream-bytes.ts'
import type { ThreadRequest, ThreadResponse } from './thread-messages.ts'

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
