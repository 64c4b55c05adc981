import type { IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import { getCACertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import { inspectPort, type PortCertificate } from './network-failure.ts'
import { type ProxyVariables, proxyFor } from './proxy-for.ts'
import type { Limits, ServiceSettings } from './settings.ts'
import type { WireRequest } from './wire-request.ts'

/** One connection pool to one service. Knows HTTP only. */
export interface Transport {
  /** Resolves with the head of the answer; rejects with an error that has a `code`, or when `signal` aborts. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer>
  /** The certificate that the port shows; undefined where it does not speak TLS, or is behind a proxy. Asked once. */
  inspect(): Promise<PortCertificate | undefined>
  /** The variable that names the proxy; undefined without one. */
  readonly proxyVariable?: string | undefined
  close(): Promise<void>
}

/**
 * Creates a transport; it connects on the first request. It does not follow redirects. `onConnect`: called with each
 * connection that is made, with TLS where the URL asks for it.
 */
export function createTransport(
  settings: TransportSettings,
  env: ProxyVariables,
  onConnect: () => void = () => {},
): Transport {
  const { origin } = new URL(settings.url)
  const proxy = proxyFor(new URL(settings.url), env)
  const opened = openDispatcher(settings, proxy).then((dispatcher) => dispatcher.on('connect', onConnect))
  let inspected: Promise<PortCertificate | undefined> | undefined
  return {
    async send({ method, path, headers, body }, signal) {
      return exchange(await opened, { origin, method, path, headers, body }, signal)
    },
    inspect() {
      inspected ??=
        proxy === undefined
          ? inspectPort(settings.url, settings.limits.connectTimeoutMs, authoritiesOf(settings))
          : Promise.resolve(undefined)
      return inspected
    },
    proxyVariable: proxy?.variable,
    close: async () => (await opened).destroy(),
  }
}

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
function exchange(
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

/** Without an announced length, this much is allocated at a time. */
const blockBytes = 1024 * 1024

/** Takes in a body as it arrives. */
interface BodyCollector {
  /** Copies a chunk: one of one byte would keep the whole read buffer in memory. Returns false beyond the limit. */
  add(chunk: Buffer): boolean
  /** All that was added. */
  whole(): Buffer
}

/** `announced`: the length in the head of the answer, if any. */
export function collectBody(maxBytes: number, announced?: number): BodyCollector {
  const full: Buffer[] = []
  let block = Buffer.allocUnsafeSlow(0)
  let filled = 0
  let length = 0
  return {
    add(chunk) {
      length += chunk.length
      if (length > maxBytes) return false
      for (let taken = 0; taken < chunk.length; ) {
        if (filled === block.length) {
          if (filled > 0) full.push(block)
          block = Buffer.allocUnsafeSlow(nextBlock(length - chunk.length + taken, maxBytes, announced))
          filled = 0
        }
        const copied = chunk.copy(block, filled, taken)
        filled += copied
        taken += copied
      }
      return true
    },
    whole() {
      const rest = block.subarray(0, filled)
      return full.length === 0 ? rest : Buffer.concat([...full, rest], length)
    },
  }
}

/** The target of a transport, and its timeouts. */
interface TransportSettings extends Pick<ServiceSettings, 'url' | 'ca' | 'connections'> {
  readonly limits: Pick<Limits, 'connectTimeoutMs' | 'pageTimeoutMs'>
}

// The part of the package that a service without a proxy needs: the whole takes three times as long to load.
const Pool = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof import('undici').Pool

/** The connections to a service, through its proxy if it has one. */
async function openDispatcher(
  { url, limits, ca, connections }: TransportSettings,
  proxy: ReturnType<typeof proxyFor>,
): Promise<Dispatcher> {
  const tls = authoritiesOf({ ca })
  const options = {
    // A project reads its listings one after the other: no request waits in a queue while its time runs.
    connections,
    connectTimeout: limits.connectTimeoutMs,
    // Coarse; the exact limit for the whole page is the signal.
    headersTimeout: limits.pageTimeoutMs,
    bodyTimeout: limits.pageTimeoutMs,
    // With one stream for all walks, one broken connection would break them all.
    allowH2: false,
    connect: { ...tls, timeout: limits.connectTimeoutMs },
  }
  if (proxy === undefined) return new Pool(new URL(url).origin, options)
  const { ProxyAgent } = await import('undici')
  return new ProxyAgent({ ...options, uri: proxy.url, requestTls: tls, proxyTls: tls })
}

/** The known authorities are replaced by those given, so ours are added to them. */
function authoritiesOf({ ca }: Pick<ServiceSettings, 'ca'>): { readonly ca?: string[] } {
  return ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }
}

function firstOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The announced length in one piece, where it is plausible; the memory is not touched before it is filled. */
function nextBlock(read: number, maxBytes: number, announced: number | undefined): number {
  const isPlausible = announced !== undefined && Number.isInteger(announced) && announced > read
  return isPlausible && announced <= maxBytes ? announced - read : blockBytes
}
