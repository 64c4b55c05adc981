import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerList } from './answer-list.ts'
import { type Behaviour, createBehaviour } from './behaviour.ts'
import { createFaultFinder, type Fault, type SimulatedAnswer, spoil } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import { createPageCache, warmUp } from './page-cache.ts'
import { releases } from './release.ts'
import { type DemoRequest, route } from './route.ts'
import { createBucket } from './token-bucket.ts'

export interface ServiceOptions extends Partial<Behaviour> {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** The service's clock, in milliseconds since the epoch. Default: the real one. */
  readonly now?: () => number
  /** Render every page before the first request; `true`: pages of 1,000. Default: render on request. */
  readonly prerender?: boolean | number
  /** Whether `requests` is filled. Default true; a service that runs for days does not need it. */
  readonly keepsRequests?: boolean
}

export interface SimulatedService {
  /** Without a slash at the end. */
  readonly url: string
  readonly port: number
  readonly fleet: SimulatedFleet
  /** Requests and their answers, in order. Status 0: no answer. */
  readonly requests: LoggedRequest[]
  /** The failures to inject; see `fault.ts`. */
  readonly faults: Fault[]
  /** Assign to its members to change the service between requests. */
  readonly behaviour: Behaviour
  /** Short for `faults.push(fault)`. */
  failNext(fault: Fault): void
  /** Ends every connection, also those that hang. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly status: number
}

/** Serves a fleet as the real service does, with all its traps. */
export async function startSimulatedService(
  fleet: SimulatedFleet,
  options: ServiceOptions = {},
): Promise<SimulatedService> {
  const { host = '127.0.0.1', port = 0, now = Date.now, ...others } = options
  const { prerender = false, keepsRequests = true, ...behaviourOptions } = others
  const behaviour = createBehaviour(behaviourOptions)
  const requests: LoggedRequest[] = []
  const faults: Fault[] = []
  const findFault = createFaultFinder(faults)
  const list = prerender === false ? answerList : createPageCache()
  if (prerender !== false)
    warmUp(fleet, list, { release: behaviour.release, pageSize: prerender === true ? 1000 : prerender })
  const context = { fleet, behaviour, nowMs: now, takeToken: createBucket(behaviour, now), answerList: list }
  let served = 0

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '/', headers } = request
    const asked = { method, path }
    const incoming: DemoRequest = { ...asked, headers: singleHeaders(headers), body: await bodyOf(request) }
    const answer = await route(incoming, context)
    const fault = findFault(asked, answer)
    const latencyMs = typeof behaviour.latencyMs === 'number' ? behaviour.latencyMs : behaviour.latencyMs(asked)
    const waitMs = latencyMs + (fault?.how === 'delay' ? fault.ms : 0)
    if (waitMs > 0) await sleep(waitMs)
    const seen = fault === undefined ? answer : spoil(answer, fault)
    const isSilent = fault?.how === 'reset' || fault?.how === 'hang'
    if (keepsRequests) requests.push({ ...asked, headers, status: isSilent ? 0 : seen.status })
    response.setHeader('x-request-id', `demo/simulated-${String(++served).padStart(6, '0')}`)
    response.setHeader('x-convoy-version', releases[behaviour.release].version)
    send(response, seen, fault?.how)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => response.destroy(thrown instanceof Error ? thrown : undefined))
  })
  // A client's idle connection must survive pauses between two runs of a test.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    fleet,
    requests,
    faults,
    behaviour,
    failNext: (fault) => void faults.push(fault),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  if (request.method === 'GET') return ''
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function singleHeaders(headers: IncomingMessage['headers']): DemoRequest['headers'] {
  const { authorization, 'content-type': type, 'x-convoy-version': version } = headers
  return {
    ...(authorization !== undefined && { authorization }),
    ...(type !== undefined && { 'content-type': type }),
    ...(typeof version === 'string' && { 'x-convoy-version': version }),
  }
}

function send(
  response: ServerResponse,
  { status, headers, body }: SimulatedAnswer,
  how: Fault['how'] | undefined,
): void {
  if (how === 'hang') return
  if (how === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  response.writeHead(status, { ...headers, 'content-length': body.length })
  if (how !== 'cut-body' && how !== 'stall-body') {
    response.end(body)
    return
  }
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    if (how === 'cut-body') response.destroy()
  })
}
