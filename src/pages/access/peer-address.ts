import { BlockList, isIP } from 'node:net'
import type { NetworkRange } from '../../config/serve-schema.ts'

/** Creates a check whether a connection comes from one of some networks. An unknown address does not. */
export function addressCheck(networks: readonly NetworkRange[]): (peer: string | undefined) => boolean {
  const list = new BlockList()
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family)
  return (peer) => {
    const address = plainAddress(peer)
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** What counts as one client: an address, or of IPv6 its network of 64 bits, all of which one client has. */
export function clientOf(peer: string | undefined): string {
  const address = plainAddress(peer)
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - (before?.length ?? 0) - (after?.length ?? 0))
  const groups = [...(before ?? []), ...Array.from({ length: zeros }, () => '0'), ...(after ?? [])]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Without the zone, and of an IPv4 address that IPv6 carries only that. */
function plainAddress(peer: string | undefined): string {
  const [address = ''] = (peer ?? '').split('%')
  const carried = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]
  return carried ?? address
}
