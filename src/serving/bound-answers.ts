import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gatherBytes, streamBytes } from './stream-bytes.ts'

export interface AnswerLimits {
  /** How many bytes of answers wait for their clients at once, over all connections. */
  readonly mostAnswerBytes: number
  /** A client that takes nothing of its answer for this long, or at most twice as long, is cut off. In milliseconds. */
  readonly stalledMs: number
  /** A client that takes longer for its answers loses its connection where another one needs the room. In milliseconds. */
  readonly slowMs: number
}

/** Where an answer goes. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** Answers up to this size are pages. A part of all bytes is theirs alone, so that large answers take no page's place. */
const pageBytes = 1024 * 1024
const shareOfPages = 1 / 4

const busy = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'retry-after': '10',
}

/**
 * Bounds the memory of answers that their clients do not read. One beyond it is replaced by a 503; one that is larger
 * than all of it is sent while no other large one waits.
 */
export function boundAnswers({ mostAnswerBytes, stalledMs, slowMs }: AnswerLimits) {
  const pages = openRoom(mostAnswerBytes * shareOfPages, slowMs)
  const large = openRoom(mostAnswerBytes * (1 - shareOfPages), slowMs)
  return async (response: Response, exchange: Exchange): Promise<Response> => {
    if (response.body === null) return response
    const { body, size } = await measure(response, response.body)
    const { socket } = exchange.incoming
    if (exchange.outgoing.destroyed || socket.destroyed) return new Response(null)
    const room = size > pageBytes ? large : pages
    if (!room.take(size, exchange)) {
      await body.cancel()
      return new Response('too many answers wait for their readers\n', { status: 503, headers: busy })
    }
    socket.setTimeout(stalledMs)
    const headers = new Headers(response.headers)
    headers.set('content-length', String(size))
    return new Response(body, { status: response.status, headers })
  }
}

/** What a connection has not taken yet, and since when it had something to take. */
interface Untaken {
  readonly bytes: number
  readonly since: number
}

/** Room for answers until they are sent, or their connection ends. */
function openRoom(mostBytes: number, slowMs: number) {
  const untaken = new Map<Socket, Untaken>()
  let total = 0
  const add = (socket: Socket, bytes: number) => {
    const before = untaken.get(socket)
    if (before === undefined) return
    untaken.set(socket, { bytes: before.bytes + bytes, since: before.bytes === 0 ? performance.now() : before.since })
    total += bytes
  }
  const free = (socket: Socket) => {
    add(socket, -(untaken.get(socket)?.bytes ?? 0))
    untaken.delete(socket)
  }
  const isFull = (bytes: number) => total > 0 && total + bytes > mostBytes
  const endSlow = (bytes: number) => {
    const latest = performance.now() - slowMs
    for (const [socket] of [...untaken].filter(([, { bytes, since }]) => bytes > 0 && since < latest)) {
      if (!isFull(bytes)) return
      free(socket)
      socket.destroy()
    }
  }
  return {
    /** False: there is no room for so many bytes besides those of others. */
    take(bytes: number, { incoming: { socket }, outgoing }: Exchange): boolean {
      if (isFull(bytes)) endSlow(bytes)
      if (isFull(bytes)) return false
      if (!untaken.has(socket)) {
        untaken.set(socket, { bytes: 0, since: 0 })
        // An answer that waits for its turn on a connection does not learn that this one closed.
        socket.once('close', () => free(socket))
      }
      add(socket, bytes)
      outgoing.once('close', () => add(socket, -bytes))
      return true
    },
  }
}

/** The body and its size; one that does not say it is read: what answers has all of it in memory. */
async function measure(response: Response, body: ReadableStream<Uint8Array>) {
  const declaredLength = response.headers.get('content-length')
  if (declaredLength !== null) return { body, size: Number(declaredLength) }
  const bytes = await gatherBytes(body)
  return { body: streamBytes(bytes), size: bytes.byteLength }
}
