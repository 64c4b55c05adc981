import { exchange, type WireAnswer } from './exchange.ts'
import { inspectPort, type ShownCertificate } from './inspect-port.ts'
import { openDispatcher, type TransportSettings } from './open-dispatcher.ts'
import { type ProxyVariables, proxyFor } from './proxy-for.ts'

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
  let inspected: Promise<ShownCertificate | undefined> | undefined
  return {
    async send({ method, path, headers, body }, signal) {
      return exchange(await opened, { origin, method, path, headers, body }, signal)
    },
    inspect() {
      inspected ??=
        proxy === undefined ? inspectPort(settings.url, settings.limits.connectTimeoutMs) : Promise.resolve(undefined)
      return inspected
    },
    close: async () => (await opened).destroy(),
  }
}
