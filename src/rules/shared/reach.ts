import ipaddr from 'ipaddr.js'
import type { Destination } from './destination.ts'

/** How far an address leads, as far as can be known without the DNS. */
export type Reach = 'metadata' | 'loopback' | 'private' | 'public'

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

export function reachOf({ host, address, hasTemplateHost }: Destination): Reach {
  if (address !== undefined) return reachOfAddress(address)
  if (metadataNames.has(host)) return 'metadata'
  if (loopbackName.test(host)) return 'loopback'
  const isSingleLabel = !host.includes('.') && !hasTemplateHost
  return isSingleLabel || privateZone.test(host) ? 'private' : 'public'
}

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
export function isWithin(
  address: ipaddr.IPv4 | ipaddr.IPv6,
  [range, bits]: readonly [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean {
  return range.kind() === address.kind() && address.match(range, bits)
}
