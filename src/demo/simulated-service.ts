import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerList, type ListRequest, lists } from './answers.ts'
import { type Behaviour, createBehaviour, releases, type SimulatedRelease } from './behaviour.ts'
import { DeliveryWorker } from './deliver.ts'
import { createFaultFinder, type Fault, type SimulatedAnswer, spoil } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import { readPageQuery } from './page.ts'
import { type DemoRequest, route } from './route.ts'

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
  /** Sends the deliveries that are due by the service's clock, as each request does before its answer. */
  advance(): void
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

/** Serves a fleet (made-up projects and resources) as the real gateway, Convoy, does, with all its traps. */
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
  const worker = new DeliveryWorker(fleet, behaviour)
  const context = { fleet, behaviour, nowMs: now, takeToken: createBucket(behaviour, now), answerList: list, worker }
  let served = 0

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '/', headers } = request
    const requestLine = { method, path }
    const incoming: DemoRequest = { ...requestLine, headers: singleHeaders(headers), body: await bodyOf(request) }
    worker.advance(now())
    const answer = await route(incoming, context)
    const fault = findFault(requestLine, answer)
    const latencyMs = typeof behaviour.latencyMs === 'number' ? behaviour.latencyMs : behaviour.latencyMs(requestLine)
    const waitMs = latencyMs + (fault?.how === 'delay' ? fault.ms : 0)
    if (waitMs > 0) await sleep(waitMs)
    const seen = fault === undefined ? answer : spoil(answer, fault)
    const isSilent = fault?.how === 'reset' || fault?.how === 'hang'
    if (keepsRequests) requests.push({ ...requestLine, headers, status: isSilent ? 0 : seen.status })
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
    advance: () => worker.advance(now()),
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
  const single = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  return Object.fromEntries(single)
}

/** One window of requests for the whole instance. Returns the seconds to wait once it is used up, otherwise 0. */
function createBucket(behaviour: Behaviour, nowMs: () => number): () => number {
  let window = { endsMs: 0, used: 0 }
  return () => {
    if (behaviour.rateLimit === null) return 0
    const { limit, windowMs } = behaviour.rateLimit
    const now = nowMs()
    if (now >= window.endsMs) window = { endsMs: now + windowMs, used: 0 }
    if (window.used >= limit) return Math.max(1, Math.ceil((window.endsMs - now) / 1000))
    window.used++
    return 0
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

/** Keeps rendered pages until their project is edited, so that a benchmark measures only its client. */
function createPageCache(): typeof answerList {
  const projects = new Map<string, { readonly revision: number; readonly pages: Map<string, SimulatedAnswer> }>()
  return (request) => {
    const { fleet, projectUid } = request
    const revision = fleet.revision(projectUid)
    const cached = projects.get(projectUid)
    const project = cached?.revision === revision ? cached : { revision, pages: new Map<string, SimulatedAnswer>() }
    if (project !== cached) projects.set(projectUid, project)
    const key = keyOf(request)
    const page = project.pages.get(key)
    if (page !== undefined) return page
    const answer = answerList(request)
    project.pages.set(key, answer)
    return answer
  }
}

/** Walks every list of every project once, to fill the cache. */
function warmUp(
  fleet: SimulatedFleet,
  answer: typeof answerList,
  { release, pageSize }: { release: SimulatedRelease; pageSize: number },
): void {
  for (const { uid: projectUid } of fleet.projects()) {
    for (const list of lists) {
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const parameters = new URLSearchParams({ perPage: `${pageSize}`, next_page_cursor: cursor })
        const page = readPageQuery(parameters)
        const { body } = answer({ fleet, projectUid, list, page, parameters, release, names: 'current' })
        cursor = nextCursorIn(body)
      }
    }
  }
}

const pagingParameters = new Set(['perPage', 'direction', 'sort', 'next_page_cursor', 'prev_page_cursor'])

function keyOf({ list, page, parameters, release, names }: ListRequest): string {
  const filters = [...parameters].filter(([name]) => !pagingParameters.has(name))
  return JSON.stringify([list, release, names, page.perPage, page.direction, page.sort, page.cursor, filters])
}

/** The pagination ends every body and is always the same few members: no need to parse a megabyte. */
function nextCursorIn(body: Buffer): string | undefined {
  return /"has_next_page":true.*"next_page_cursor":"([^"]*)"\}\}\}\n?$/.exec(
    body.toString('utf8', Math.max(0, body.length - 300)),
  )?.[1]
}
