import { AuditError } from '../model/errors.ts'

/** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` in either case; lower case wins. */
export type ProxyVariables = Readonly<Record<string, string | undefined>>

interface Proxy {
  readonly url: string
  /** The variable that names it. */
  readonly variable: string
  /** The hosts that are reached without the proxy, as the variable lists them. */
  readonly except: string
}

/**
 * The proxy that the environment names for a URL: `HTTPS_PROXY` for https and `HTTP_PROXY` for http, as in curl (an
 * http proxy does not serve https). undefined where there is none, or where `NO_PROXY` lists the host.
 * @throws AuditError.usage when the value is not a proxy URL; it is not repeated, because it may contain a password
 */
export function proxyFor(url: URL, variables: ProxyVariables): Proxy | undefined {
  const named = variableOf(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy', variables)
  if (named === undefined) return undefined
  const { name: variable, value } = named
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (!URL.canParse(full) || !['http:', 'https:', 'socks5:'].includes(new URL(full).protocol)) {
    throw AuditError.usage(`${variable} is not a valid proxy URL`, {
      advice: 'use http://host:port, https://host:port or socks5://host:port',
    })
  }
  const except = variableOf('no_proxy', variables)?.value ?? ''
  return isExcepted(url, except) ? undefined : { url: full, variable, except }
}

/** Whether a host is reached without the proxy. As undici decides it, which sends the requests. */
function isExcepted({ hostname, port, protocol }: URL, except: string): boolean {
  const host = bareHost(hostname)
  const usualPort = protocol === 'https:' ? 443 : 80
  return except.split(/[,\s]/).some((entry) => {
    const { name = entry, digits } =
      /^(?<name>\[[^\]]{1,300}\]|[^:]{1,300}):(?<digits>\d{1,5})$/.exec(entry)?.groups ?? {}
    const listed = bareHost(name.replace(/^\*?\./, ''))
    if (listed === '' || (digits !== undefined && Number(digits) !== (Number(port) || usualPort))) return false
    // `*.example.com` is about what is below the name.
    return listed === '*' || host.endsWith(`.${listed}`) || (host === listed && !entry.startsWith('*'))
  })
}

/** Without the brackets of IPv6 and a dot at the end, in small letters. */
function bareHost(name: string): string {
  return name
    .replace(/^\[(.{0,300})\]$/, '$1')
    .replace(/(.)\.$/, '$1')
    .toLowerCase()
}

function variableOf(lower: string, variables: ProxyVariables) {
  const values = [lower, lower.toUpperCase()].map((name) => ({ name, value: variables[name]?.trim() ?? '' }))
  return values.find(({ value }) => value !== '')
}
