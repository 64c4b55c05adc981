import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { gatherBytes, streamBytes } from './stream-bytes.ts'

interface BoundAddress {
  readonly host: string
  readonly port: number
  /** In place of the usual ones. */
  readonly limits?: Partial<ConnectionLimits & AnswerLimits>
}

export interface HttpListener {
  /** The address: `http://127.0.0.1:9464`. */
  readonly url: string
  close(): Promise<void>
}

/**
 * What answers: a hono application, or anything else with its `fetch`. `peer`: the address that the connection comes
 * from; undefined when it ended meanwhile.
 */
export type RequestHandler = (request: Request, peer: string | undefined) => Response | Promise<Response>

/** A connection that is silent for this long is closed; Node checks at this interval. In milliseconds and bytes. */
export interface ConnectionLimits {
  readonly maxHeaderSize: number
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
}

const usualLimits: ConnectionLimits & AnswerLimits = {
  maxHeaderSize: 8192,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  mostAnswerBytes: 128 * 1024 * 1024,
  stalledMs: 5_000,
  slowMs: 60_000,
}

/** Longer than any answer is made: a connection that waits for one is silent. */
const idleMs = 150_000

/**
 * Serves an application on a port, bounded in connections, headers, time and unread answers.
 * @param advice what to do when the address is not available
 * @throws AuditError.failure when it is not
 */
export async function listen(
  { host, port, limits }: BoundAddress,
  fetch: RequestHandler,
  advice: string,
): Promise<HttpListener> {
  const { mostAnswerBytes, stalledMs, slowMs, ...connections } = { ...usualLimits, ...limits }
  const bound = boundAnswers({ mostAnswerBytes, stalledMs, slowMs })
  // Without `createServer`, the library makes a server of HTTP/1.1.
  const server = createAdaptorServer({
    fetch: async (request, env) => {
      if (hasCredentials(request.url)) return new Response('not a valid address\n', { status: 400 })
      const exchange = env as Exchange // it speaks HTTP/1.1
      return bound(await fetch(request, exchange.incoming.socket.remoteAddress), exchange)
    },
    serverOptions: connections,
    // Of a request of HTTP/1.0 without a host, as simple health checks send.
    hostname: 'localhost',
    overrideGlobalObjects: false,
  }) as Server
  server.setTimeout(idleMs)
  boundConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(AuditError.failure(`cannot listen on ${host}:${port}: ${reasonOf(error)}`, { advice, cause: error })),
    )
    server.listen(port, host, resolve)
  })
  const { address, family, port: given } = server.address() as AddressInfo // it listens on TCP
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${given}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Keeps a server reachable: one connection too many ends the oldest idle one, or the oldest of all. */
export function boundConnections(server: Server, most = mostConnections): void {
  /** In order of arrival, with the number of answers that each waits for. */
  const open = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    if (open.size >= most) oldest(open)?.destroy()
    open.set(socket, 0)
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const count = (change: number) => {
      const waiting = open.get(socket)
      if (waiting !== undefined) open.set(socket, waiting + change)
    }
    count(1)
    response.once('close', () => count(-1))
  })
}

/** `http://user:password@host/`: no request can be made of such an address. */
function hasCredentials(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && url.username + url.password !== ''
}

const mostConnections = 200

function oldest(open: ReadonlyMap<Socket, number>): Socket | undefined {
  const alive = [...open].filter(([socket]) => !socket.destroyed)
  const [socket] = alive.find(([, waiting]) => waiting === 0) ?? alive[0] ?? []
  return socket
}

export interface AnswerLimits {
  /** How many bytes of answers wait for their clients at once, over all connections. */
  readonly mostAnswerBytes: number
  /** A client that takes nothing of its answer for this long, or at most twice as long, is cut off. In milliseconds. */
  readonly stalledMs: number
  /** A client that takes longer for its answers loses its connection where another one needs the room. In milliseconds. */
  readonly slowMs: number
}

/** Where an answer goes. */
interface Exchange {
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
function boundAnswers({ mostAnswerBytes, stalledMs, slowMs }: AnswerLimits) {
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
