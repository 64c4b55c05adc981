import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createServiceClient } from '../../src/gateway/service/create-service-client.ts'
import { type Dialect, defaultDialect } from '../../src/gateway/service/dialect.ts'
import type { ProjectAccess, RawPage, ServiceClient } from '../../src/gateway/service/service-client.ts'
import { ServiceFault } from '../../src/gateway/service/service-fault.ts'
import { defaultLimits, type Limits, type Patience, type ServiceSettings } from '../../src/gateway/service/settings.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Clock } from '../../src/model/time.ts'

export const key = 'CO.notarealkeymask1.not-a-real-secret-part-of-a-key'
export const project = 'project-1'

/** Answers one request; a list answers its requests in order, the last one for ever. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

interface Fake {
  readonly url: string
  readonly server: Server
  readonly requests: { readonly method: string; readonly url: URL; readonly headers: IncomingMessage['headers'] }[]
}

export async function aService(...answers: Answer[]): Promise<Fake> {
  const requests: Fake['requests'] = []
  const { server, url } = await listen((request, response) => {
    requests.push({ method: request.method ?? '', url: new URL(request.url ?? '', url), headers: request.headers })
    const answer = answers[Math.min(requests.length, answers.length) - 1]
    if (answer === undefined) response.destroy()
    else answer(request, response)
  })
  return { url, server, requests }
}

export async function listen(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Answers with a status, headers, and a body: text or bytes as they are, anything else as JSON. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-7', ...headers })
    response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
  }
}

export const said = (status: number, message: string, headers: Record<string, string> = {}) =>
  answer(status, { status: false, message }, headers)

/** A page of a listing; `next` makes it one of several. */
export function page(items: readonly unknown[] | null, next = ''): Answer {
  return answer(200, pageBody(items, next))
}

export function pageBody(items: readonly unknown[] | null, next = ''): JsonObject {
  return {
    status: true,
    message: 'ok',
    data: {
      content: items as JsonObject[] | null,
      pagination: {
        per_page: 20,
        has_next_page: next !== '',
        has_prev_page: false,
        next_page_cursor: next,
        prev_page_cursor: '',
      },
    },
  }
}

export function item(uid: string, more: JsonObject = {}): JsonObject {
  return { uid, project_id: project, name: uid, ...more }
}

/** Time passes only by sleeping, and at once. */
export function aClock(start = Date.parse('2026-11-21T00:00:00Z')): Clock & { readonly slept: number[] } {
  let now = start
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      now += ms
    },
  }
}

interface ClientOptions {
  readonly limits?: Partial<Limits>
  readonly dialect?: Partial<Dialect>
  readonly clock?: Clock
  readonly env?: Record<string, string>
  readonly settings?: Partial<ServiceSettings>
  /** Default: limits by the real clock. */
  readonly timeoutAfter?: (ms: number) => AbortSignal
  readonly patience?: Patience
  /** Ends requests under way. Default: the signal of the access does. */
  readonly cut?: AbortSignal
}

export function aClient(
  url: string,
  { limits, dialect, clock, env, settings, timeoutAfter, patience, cut }: ClientOptions = {},
): ServiceClient {
  const client = createServiceClient(
    {
      name: 'acme',
      url,
      pageSize: 1_000,
      limits: { ...defaultLimits, ...limits },
      dialect: { ...defaultDialect, ...dialect },
      ca: undefined,
      connections: 4,
      ...settings,
    },
    {
      clock: clock ?? aClock(),
      random: () => 0.5,
      env: env ?? {},
      patience,
      cut,
      ...(timeoutAfter && { timeoutAfter }),
    },
  )
  onTestFinished(() => client.close())
  return client
}

export function anAccess(more: Partial<ProjectAccess> = {}): ProjectAccess {
  return {
    projectUid: project,
    key,
    filters: {},
    signal: new AbortController().signal,
    traffic: { requests: 0, retries: 0 },
    budget: { waitedMs: 0 },
    ...more,
  }
}

/** The pages that a walk yielded, and the fault that ended it. Every test checks the fault's text for the key. */
export async function walk(
  client: ServiceClient,
  access = anAccess(),
  listing: 'endpoints' | 'subscriptions' | 'sources' = 'endpoints',
): Promise<{ pages: RawPage[]; fault: string | null }> {
  const pages: RawPage[] = []
  try {
    for await (const each of client.pages(listing, access)) pages.push(each)
    return { pages, fault: null }
  } catch (error) {
    return { pages, fault: textOf(error) }
  }
}

/** `kind: message`. */
function textOf(error: unknown) {
  if (!(error instanceof ServiceFault)) throw error
  const everything = [error.message, error.stack, JSON.stringify(error), error.cause].join('\n')
  if (/not-a-real-secret|notarealkey/i.test(everything)) throw new Error('the fault contains the key')
  if (/[\n\r]/.test(error.message)) throw new Error('the fault is more than a line')
  // Addresses have a random port: they have their own tests.
  const { what, requestId } = error.facts
  return `${error.kind}: ${what}${requestId === null ? '' : ` (request id ${requestId})`}`
}

export async function faultIn(promise: Promise<unknown>): Promise<string | null> {
  return promise.then(() => null, textOf)
}
