import ipaddr from 'ipaddr.js'

/** Where an address leads, read the way a client would read it. */
export interface Destination {
  /** `https:` */
  readonly scheme: string
  /** Lower case, without brackets; decimal and hexadecimal spellings of an IPv4 address are resolved. */
  readonly host: string
  /** The host as an address, when it is one; IPv4 in IPv6 (mapped, NAT64) unwrapped. */
  readonly address: ipaddr.IPv4 | ipaddr.IPv6 | undefined
}

/** undefined when it does not parse; `{template}` parts count as letters. */
export function destinationOf(url: string): Destination | undefined {
  const parsed = URL.parse(url.trim().replace(/\{[^{}]*\}/g, 'x'))
  if (parsed === null || parsed.hostname === '') return undefined
  const host = parsed.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return { scheme: parsed.protocol, host, address: ipaddr.isValid(host) ? unwrap(ipaddr.parse(host)) : undefined }
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.range() === 'rfc6052') return new ipaddr.IPv4(address.toByteArray().slice(12))
  return address
}
