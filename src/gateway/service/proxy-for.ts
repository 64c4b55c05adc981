import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { AuditError } from '../../model/errors.ts'

/** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` in either case; lower case wins. */
export type ProxyVariables = Readonly<Record<string, string | undefined>>

interface Proxy {
  readonly url: string
  /** The variable that names it. */
  readonly variable: string
}

/**
 * The proxy that the environment names for a URL: `HTTPS_PROXY` for https and `HTTP_PROXY` for http, as in curl (an
 * http proxy does not serve https). undefined where there is none, or where `NO_PROXY` lists the host. All that sends
 * requests asks here, so that one place decides what a proxy gets to see.
 * @throws AuditError.usage when the value is not a proxy URL, which is not repeated, because it may contain a password;
 * and when an entry of `NO_PROXY` is not understood
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
  const exceptions = variableOf('no_proxy', variables)
  return exceptions !== undefined && isExcepted(url, exceptions) ? undefined : { url: full, variable }
}

/** What of the environment's proxies cannot be followed for a URL; undefined where nothing is wrong. */
export function proxyFaultOf(url: URL, variables: ProxyVariables): string | undefined {
  try {
    proxyFor(url, variables)
    return undefined
  } catch (error) {
    if (error instanceof AuditError) return error.message
    throw error
  }
}

/** An entry of `NO_PROXY`. */
interface Exception {
  /** `host`: a name or an address, without brackets. */
  readonly lists: (host: string) => boolean
  /** undefined: every port. */
  readonly port: number | undefined
}

/** Whether a host is reached without the proxy. All entries are read: one that is not understood never goes unnoticed. */
function isExcepted({ hostname, port, protocol }: URL, { name, value }: { name: string; value: string }): boolean {
  const entries = value.split(/[,\s]/).filter((entry) => entry !== '')
  const exceptions = entries.map((entry, index) => {
    const exception = readException(entry)
    if (exception !== undefined) return exception
    // What is before an @ may be a password, and that may have a comma.
    const shown = value.includes('@') ? `entry ${index + 1}, hidden for an @` : JSON.stringify(entry.slice(0, 80))
    throw AuditError.usage(
      `${name} has an entry that is not understood: ${shown}, expected a name (example.com, .example.com, *.example.com), ` +
        'an address (10.4.3.2, [fd00::5]) or a network (10.0.0.0/8, fd00::/8), each with or without :port, or *',
      { advice: `correct ${name}: a host that it should except would get its key through the proxy` },
    )
  })
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const given = Number(port) || (protocol === 'https:' ? 443 : 80)
  return exceptions.some((exception) => exception.lists(host) && (exception.port ?? given) === given)
}

/** undefined where an entry is not understood. */
function readException(entry: string): Exception | undefined {
  const { host = entry, digits } = /^(?<host>\[[^\]]+\]|[^:]+):(?<digits>\d+)$/.exec(entry)?.groups ?? {}
  const port = digits === undefined ? undefined : Number(digits)
  if (port === 0 || (port ?? 0) > 65_535) return undefined
  const lists = host === '*' ? () => true : (readNetwork(host) ?? readName(host))
  return lists && { lists, port }
}

/** An address is a network of one. Only hosts that are addresses are in a network: no name is resolved. */
function readNetwork(text: string): Exception['lists'] | undefined {
  const {
    bracketed,
    bare = bracketed ?? '',
    digits,
  } = /^(?:\[(?<bracketed>[^\]/]+)\]|(?<bare>[^[\]/]+))(?:\/(?<digits>\d{1,3}))?$/.exec(text)?.groups ?? {}
  const family = familyOf(bare)
  if (family === undefined) return undefined
  const most = family === 'ipv4' ? 32 : 128
  const bits = Number(digits ?? most)
  if (bits > most) return undefined
  const network = new BlockList()
  network.addSubnet(bare, bits, family)
  return (host) => {
    const hostFamily = familyOf(host)
    // Node takes an IPv4 address for one of ::/0, too.
    const isOther = hostFamily === 'ipv4' && family === 'ipv6' && bits < 96
    return hostFamily !== undefined && !isOther && network.check(host, hostFamily)
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  return isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined
}

/** A name is for itself and for all below it, with a dot before it, too; `*.example.com` only for what is below. */
function readName(text: string): Exception['lists'] | undefined {
  const { mark, name = '' } =
    /^(?<mark>\*?\.)?(?<name>[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*)\.?$/u.exec(text)?.groups ?? {}
  // 10.0.0 is a part of an address, and URLs complete it.
  const listed = /(?:^|\.)(?:\d+|0x[\da-f]*)$/i.test(name) ? '' : domainToASCII(name)
  if (listed === '') return undefined
  return (host) => host.endsWith(`.${listed}`) || (host === listed && mark !== '*.')
}

function variableOf(lower: string, variables: ProxyVariables) {
  const values = [lower, lower.toUpperCase()].map((name) => ({ name, value: variables[name]?.trim() ?? '' }))
  return values.find(({ value }) => value !== '')
}
