import { createRequire } from 'node:module'
import { getCACertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import type { proxyFor } from './proxy-for.ts'
import type { Limits, ServiceSettings } from './settings.ts'

// The part of the package that a service without a proxy needs: the whole takes three times as long to load.
const Pool = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof import('undici').Pool

/** The target of a transport, and its timeouts. */
export interface TransportSettings extends Pick<ServiceSettings, 'url' | 'ca' | 'connections'> {
  readonly limits: Pick<Limits, 'connectTimeoutMs' | 'pageTimeoutMs'>
}

/** The connections to a service, through its proxy if it has one. */
export async function openDispatcher(
  { url, limits, ca, connections }: TransportSettings,
  proxy: ReturnType<typeof proxyFor>,
): Promise<Dispatcher> {
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
  const { EnvHttpProxyAgent } = await import('undici')
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
