import type { MessagePort } from 'node:worker_threads'
import type { RequestHandler } from './listen.ts'
import { gatherBytes } from './stream-bytes.ts'

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

export interface ThreadResponse {
  readonly id: number
  readonly status: number
  readonly headers: [name: string, value: string][]
  readonly body: ArrayBuffer
}
