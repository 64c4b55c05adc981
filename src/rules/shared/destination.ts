import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { parseAddress } from '../../model/parse-address.ts'

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

/** How far an address leads, as far as can be known without the DNS. */
export type Reach = 'metadata' | 'loopback' | 'private' | 'public'

export function reachOf({ host, address, hasTemplateHost }: Destination): Reach {
  if (address !== undefined) return reachOfAddress(address)
  if (metadataNames.has(host)) return 'metadata'
  if (loopbackName.test(host)) return 'loopback'
  const isSingleLabel = !host.includes('.') && !hasTemplateHost
  return isSingleLabel || privateZone.test(host) ? 'private' : 'public'
}

const host = z
  .string()
  .regex(/^(?:\*\.)?[a-z0-9_:.-]+$/, { error: 'expected a host in lower case, or `*.` and a domain' })
const range = z.string().refine((text) => ipaddr.isValidCIDR(text), { error: 'expected a range such as 10.0.0.0/8' })

/** `api.example.com` is that host, `*.example.com` every host below it. */
export const allowHosts = z
  .array(host)
  .default([])
  .describe('Allowed hosts; `*.example.com` allows every host below it')
export const allowRanges = z.array(range).default([]).describe('Allowed address ranges, such as 10.0.0.0/8')

export function isAllowedHost(hosts: readonly string[], host: string): boolean {
  return hosts.some((allowed) => (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed))
}

/** An address in an allowed range; a name never is, it may resolve to anything. */
export function isInAllowedRange(ranges: readonly string[], { address }: Destination): boolean {
  return address !== undefined && parsedRanges(ranges).some((range) => isWithin(address, range))
}

/** The address read last: the rules of an endpoint ask for the same one, one after the other. */
let last: { readonly url: string; readonly destination: Destination | undefined } | undefined

function read(url: string): Destination | undefined {
  const parsed = parseAddress(url)
  if (parsed === undefined) return undefined
  const host = parsed.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return {
    scheme: parsed.protocol,
    host,
    address: addressIn(host),
    port: parsed.port === '' ? defaultPort(parsed.protocol) : Number(parsed.port),
    hasUserinfo: parsed.username !== '' || parsed.password !== '',
    query: parsed.search,
    hasTemplateHost: url.includes('{') && /^[^/]*\/\/[^/?#]*\{/.test(url),
  }
}

function defaultPort(scheme: string): number {
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

/** Where clouds answer questions about the machine that asks, credentials included. */
const metadataNames = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
])
const metadataRanges = [
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::a9fe:a9fe/128',
].map((range) => ipaddr.parseCIDR(range))

/** RFC 6761, 6762 (appendix G too), 8375, and what clusters call their services. */
const privateZone = /\.(?:local|internal|intranet|private|corp|home|lan|localdomain|svc|home\.arpa)$/
const loopbackName = /^(?:localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$|\.localhost$/

function reachOfAddress(address: ipaddr.IPv4 | ipaddr.IPv6): Reach {
  if (metadataRanges.some((range) => isWithin(address, range))) return 'metadata'
  switch (address.range()) {
    // The unspecified address (0.0.0.0, ::) leads to the machine itself, too.
    case 'loopback':
    case 'unspecified':
      return 'loopback'
    case 'private':
    case 'linkLocal':
    case 'carrierGradeNat':
    case 'uniqueLocal':
      return 'private'
    default:
      return 'public'
  }
}

/** IPv4 lies in IPv4 ranges, IPv6 in IPv6 ones. */
function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [range, bits]: AddressRange): boolean {
  return range.kind() === address.kind() && address.match(range, bits)
}

/** Parsed once for an option, not for every resource. */
function parsedRanges(ranges: readonly string[]): readonly AddressRange[] {
  const parsed = rangesOfOptions.get(ranges) ?? ranges.map((range) => ipaddr.parseCIDR(range))
  rangesOfOptions.set(ranges, parsed)
  return parsed
}

type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]
const rangesOfOptions = new WeakMap<readonly string[], readonly AddressRange[]>()
