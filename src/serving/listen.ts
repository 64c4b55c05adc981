import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { AuditError, reasonOf } from '../model/errors.ts'
import { boundConnections } from './bound-connections.ts'

export interface ListenPlace {
  readonly host: string
  readonly port: number
  /** In place of the usual ones. */
  readonly limits?: Partial<ConnectionLimits>
}

export interface Listening {
  /** The address: `http://127.0.0.1:9464`. */
  readonly url: string
  close(): Promise<void>
}

/**
 * What answers: a hono application, or anything else with its `fetch`. `peer`: the address that the connection comes
 * from; undefined when it ended meanwhile.
 */
export type Answering = (request: Request, peer: string | undefined) => Response | Promise<Response>

/** A connection that is silent for this long is closed; Node checks at this interval. In milliseconds and bytes. */
export interface ConnectionLimits {
  readonly maxHeaderSize: number
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
}

const usualLimits: ConnectionLimits = {
  maxHeaderSize: 8192,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
}
/** For an answer that the client does not read. */
const idleMs = 30_000

/**
 * Serves an application on a port, bounded in connections, headers and time.
 * @param advice what to do when the address is not available
 * @throws AuditError.failure when it is not
 */
export async function listen(place: ListenPlace, fetch: Answering, advice: string): Promise<Listening> {
  const { host, port, limits } = place
  // Without `createServer`, the library makes a server of HTTP/1.1.
  const server = createAdaptorServer({
    fetch: (request, env) => fetch(request, (env as HttpBindings).incoming.socket.remoteAddress), // it speaks HTTP/1.1
    ...{ serverOptions: { ...usualLimits, ...limits }, overrideGlobalObjects: false },
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
