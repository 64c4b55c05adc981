import ipaddr from 'ipaddr.js'

/** Where an address leads, read the way a client would read it. */
export interface Destination {
  /** `https:` */
  readonly scheme: string
  /** Lower case, without brackets; decimal and hexadecimal spellings of an IPv4 address are resolved. */
  readonly host: string
  /** The host as an address, when it is one; IPv4 in IPv6 (mapped, NAT64) unwrapped. */
  readonly address: ipaddr.IPv4 | ipaddr.IPv6 | undefined
  /** The scheme's own where the address names none; NaN where the scheme has none either. */
  readonly port: number
  readonly hasUserinfo: boolean
  /** With its question mark; empty when there is none. */
  readonly query: string
  /** Whether the host contains a `{template}` part: its name then says little. */
  readonly hasTemplateHost: boolean
}

/** The address read last: the rules of an endpoint ask for the same one, one after the other. */
let last: { readonly url: string; readonly destination: Destination | undefined } | undefined

/** undefined when it does not parse; `{template}` parts count as letters. */
export function destinationOf(url: string): Destination | undefined {
  if (last?.url !== url) last = { url, destination: read(url) }
  return last.destination
}

export function schemeOf(url: string | null | undefined): string | undefined {
  return url === null || url === undefined ? undefined : destinationOf(url)?.scheme
}

export function hostOf(url: string | null | undefined): string | undefined {
  return url === null || url === undefined ? undefined : destinationOf(url)?.host
}

function read(url: string): Destination | undefined {
  const parsed = URL.parse(withoutTemplates(url.trim()))
  if (parsed === null || parsed.hostname === '') return undefined
  const host = parsed.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return {
    scheme: parsed.protocol,
    host,
    address: addressIn(host),
    port: parsed.port === '' ? ownPort(parsed.protocol) : Number(parsed.port),
    hasUserinfo: parsed.username !== '' || parsed.password !== '',
    query: parsed.search,
    hasTemplateHost: url.includes('{') && /^[^/]*\/\/[^/?#]*\{/.test(url),
  }
}

/** A template for a port becomes none, any other a letter. Each pattern reads a run of braces once. */
function withoutTemplates(url: string): string {
  if (!url.includes('{')) return url
  return url.replace(/:\{+[^{}]*\}+(?=[/?#]|$)/g, '').replace(/(?<!\{)\{+[^{}]*\}+/g, 'x')
}

function ownPort(scheme: string): number {
  return scheme === 'https:' ? 443 : scheme === 'http:' ? 80 : Number.NaN
}

/** Names are sorted out first: the library throws and catches for each, at twenty times the price. */
function addressIn(host: string): Destination['address'] {
  const mayBeAddress = /:|(?:^|\.)\d[^.]*$/.test(host)
  return mayBeAddress && ipaddr.isValid(host) ? unwrap(ipaddr.parse(host)) : undefined
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.range() === 'rfc6052') return new ipaddr.IPv4(address.toByteArray().slice(12))
  return address
}
