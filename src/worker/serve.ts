import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuditError, reasonOf } from '../model/errors.ts'
import { boundConnections } from '../serving/bound-connections.ts'
import { type HostPaths, hostCheck } from '../serving/host-check.ts'

/** The answers of the worker. Anyone who can connect may read them. */
export interface WorkerEndpoints {
  /** Why the worker is not ready, in words; empty if it is ready. */
  readonly troubles: () => Promise<readonly string[]>
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>
}

export interface Serving {
  /** The address: `http://127.0.0.1:9464`. */
  readonly url: string
  close(): Promise<void>
}

interface ServedPage {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** A connection that is silent for this long is closed; Node checks at this interval. */
const limits = {
  maxHeaderSize: 8192,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
}
/** For an answer that the client does not read. */
const idleMs = 30_000

/**
 * Serves only `/healthz`, `/readyz` and `/metrics`.
 * @throws AuditError.failure when the address is not available
 */
export async function serve(place: HostPaths, answers: WorkerEndpoints): Promise<Serving> {
  const { host, port } = place
  const isMeant = hostCheck(place)
  const server = createServer(limits, (request, response) => {
    void answer(request, response, { answers, isMeant })
  })
  server.setTimeout(idleMs)
  boundConnections(server)
  await listen(server, host, port)
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

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        AuditError.failure(`cannot listen on ${host}:${port}: ${reasonOf(error)}`, {
          advice: 'is another worker running? worker.listen in the configuration names the address',
          cause: error,
        }),
      ),
    )
    server.listen(port, host, resolve)
  })
}

interface Answering {
  readonly answers: WorkerEndpoints
  readonly isMeant: (host: string | undefined) => boolean
}

async function answer(request: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
  const page = await pageFor(request, answering)
  response.writeHead(page.status, {
    'content-type': page.type,
    'content-length': Buffer.byteLength(page.text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(page.status === 405 ? { allow: 'GET, HEAD' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : page.text)
}

async function pageFor(
  { method, url = '', headers }: IncomingMessage,
  { answers, isMeant }: Answering,
): Promise<ServedPage> {
  if (!isMeant(headers.host)) return plain(421, 'not the name of this port: name it under worker.hosts\n')
  const page = pages.get(url.split('?', 1)[0] ?? '')
  if (page === undefined) return plain(404, 'not found: /healthz, /readyz and /metrics are here\n')
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET and HEAD\n')
  try {
    return await page(answers)
  } catch {
    // The log of the run that meets the same error has the details; strangers do not get them.
    return plain(500, 'internal error\n')
  }
}

const pages: ReadonlyMap<string, (answers: WorkerEndpoints) => Promise<ServedPage>> = new Map([
  ['/healthz', async () => plain(200, 'alive\n')],
  [
    '/readyz',
    async ({ troubles }: WorkerEndpoints) => {
      const found = await troubles()
      return found.length === 0 ? plain(200, 'ready\n') : plain(503, `not ready\n${found.join('\n')}\n`)
    },
  ],
  ['/metrics', async ({ metrics }: WorkerEndpoints) => ({ status: 200, ...(await metrics()) })],
])

function plain(status: number, text: string): ServedPage {
  return { status, type: 'text/plain; charset=utf-8', text }
}
