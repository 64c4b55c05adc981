import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { type BodyCollector, collectBody } from './collect-body.ts'

export interface WireAnswer {
  readonly status: number
  /** A header's (first) value; the name in lower case. */
  header(name: string): string | undefined
  /**
   * Reads the whole body, once; undefined when it is larger than allowed, with the rest unread. Rejects when the
   * connection breaks. `announced`: the length in the head, if any.
   */
  read(maxBytes: number, announced?: number): Promise<Buffer | undefined>
  /** Drops the body unread. */
  discard(): void
}

/** Bytes of a body that has no reader yet. With more, the connection waits. */
const mostUnread = 64 * 1024

/**
 * Sends a request. Resolves with the head of the answer; rejects with an error that has a `code`, or when `signal`
 * aborts. Reading the answer to its end frees the connection; giving it up closes the connection.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<WireAnswer> {
  const answer = Promise.withResolvers<WireAnswer>()
  const body = Promise.withResolvers<Buffer | undefined>()
  // The error of a body without a reader has no one to handle it.
  body.promise.catch(() => {})
  const early: Buffer[] = []
  let unread = 0
  let collector: BodyCollector | undefined
  let isWhole = false
  let connection: Dispatcher.DispatchController | undefined
  const abort = () => {
    // A request that still waits for its connection has nothing to abort: it is dropped when the connection is made.
    if (connection === undefined) answer.reject(signal.reason)
    else connection.abort(signal.reason)
  }
  const giveUp = () => connection?.abort(new Error('the rest of the answer is not wanted'))
  const take = (chunk: Buffer) => {
    if (collector === undefined || collector.add(chunk)) return
    body.resolve(undefined)
    giveUp()
  }
  const read = (maxBytes: number, announced?: number) => {
    collector = collectBody(maxBytes, announced)
    for (const chunk of early.splice(0)) take(chunk)
    if (isWhole) body.resolve(collector.whole())
    connection?.resume()
    return body.promise
  }

  signal.addEventListener('abort', abort, { once: true })
  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      connection = controller
      if (signal.aborted) abort()
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) answer.resolve({ status, header: (name) => firstOf(headers, name), read, discard: giveUp })
    },
    onResponseData(controller, chunk) {
      if (collector !== undefined) return take(chunk)
      early.push(Buffer.from(chunk))
      unread += chunk.length
      if (unread > mostUnread) controller.pause()
    },
    onResponseEnd() {
      signal.removeEventListener('abort', abort)
      isWhole = true
      if (collector !== undefined) body.resolve(collector.whole())
    },
    onResponseError(_controller, error) {
      signal.removeEventListener('abort', abort)
      answer.reject(error)
      body.reject(error)
    },
  })
  return answer.promise
}

function firstOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
