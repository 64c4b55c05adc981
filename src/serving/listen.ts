import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { AuditError, reasonOf } from '../model/errors.ts'
import { type AnswerLimits, boundAnswers, type Exchange } from './bound-answers.ts'

export interface BoundAddress {
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
