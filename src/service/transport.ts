import { getCACertificates } from 'node:tls'
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import { exchange, type WireAnswer } from './exchange.ts'
import { inspectPort, type ShownCertificate } from './inspect-port.ts'
import { type ProxyVariables, proxyFor } from './proxy-for.ts'
import type { Limits, ServiceSettings } from './settings.ts'

/** One connection pool to one service. Knows HTTP only. */
export interface Transport {
  /** Resolves with the head of the answer; rejects with an error that has a `code`, or when `signal` aborts. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer>
  /** The certificate that the port shows; undefined where it does not speak TLS, or is behind a proxy. Asked once. */
  inspect(): Promise<ShownCertificate | undefined>
  close(): Promise<void>
}

export interface WireRequest {
  readonly method: 'GET' | 'POST'
  /** With the query, from the root of the host. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The target of a transport, and its timeouts. */
export interface TransportSettings extends Pick<ServiceSettings, 'url' | 'ca' | 'connections'> {
  readonly limits: Pick<Limits, 'connectTimeoutMs' | 'pageTimeoutMs'>
}

/** Creates a transport; it connects on the first request. It does not follow redirects. */
export function createTransport(settings: TransportSettings, env: ProxyVariables): Transport {
  const { origin } = new URL(settings.url)
  const proxy = proxyFor(new URL(settings.url), env)
  const dispatcher = createDispatcher(settings, proxy)
  let inspected: Promise<ShownCertificate | undefined> | undefined
  return {
    async send({ method, path, headers, body }, signal) {
      return exchange(dispatcher, { origin, method, path, headers, body }, signal)
    },
    inspect() {
      inspected ??=
        proxy === undefined ? inspectPort(settings.url, settings.limits.connectTimeoutMs) : Promise.resolve(undefined)
      return inspected
    },
    close: () => dispatcher.destroy(),
  }
}

function createDispatcher(
  { url, limits, ca, connections }: TransportSettings,
  proxy: ReturnType<typeof proxyFor>,
): Dispatcher {
  // undici replaces the known authorities by those given, so ours are added to them.
  const tls = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }
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
  return new EnvHttpProxyAgent({
    ...options,
    // Given in full, even if empty, so that undici does not read the process's environment.
    httpProxy: proxy.url,
    httpsProxy: proxy.url,
    noProxy: proxy.except,
    requestTls: tls,
    proxyTls: tls,
  })
}
