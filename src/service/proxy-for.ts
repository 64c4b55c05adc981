import { AuditError } from '../model/errors.ts'

/** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` in either case; lower case wins. */
export type ProxyVariables = Readonly<Record<string, string | undefined>>

interface Proxy {
  readonly url: string
  /** The hosts that are reached without the proxy, as the variable lists them. */
  readonly except: string
}

/**
 * The proxy that the environment names for a URL: `HTTPS_PROXY` for https and `HTTP_PROXY` for http, as in curl (an
 * http proxy does not serve https).
 * @throws AuditError.usage when the value is not a proxy URL; it is not repeated, because it may contain a password
 */
export function proxyFor(url: URL, variables: ProxyVariables): Proxy | undefined {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const value = variableOf(name, variables)
  if (!value) return undefined
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (!URL.canParse(full) || !['http:', 'https:', 'socks5:'].includes(new URL(full).protocol)) {
    throw AuditError.usage(`${name.toUpperCase()} is not a valid proxy URL`, {
      advice: 'use http://host:port, https://host:port or socks5://host:port',
    })
  }
  return { url: full, except: variableOf('no_proxy', variables) }
}

function variableOf(name: string, variables: ProxyVariables): string {
  return variables[name]?.trim() || variables[name.toUpperCase()]?.trim() || ''
}
