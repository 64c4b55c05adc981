import { BlockList, isIP } from 'node:net'
import type { NetworkRange } from '../../config/serve-schema.ts'

/** Slows those who try tokens. A client waits for its own failures only, so none can lock out another. */
export interface SlowedAttempts {
  /** Seconds until a client may try again; 0: now. */
  waitOf(peer: string | undefined): number
  /** Notes a wrong token. */
  fail(peer: string | undefined): void
}

interface Failures {
  readonly count: number
  readonly lastAt: number
  readonly until: number
}

const free = 5
const longestMs = 60_000
const forgottenAfterMs = 15 * 60_000
/** Clients that are remembered; the one whose last failure is the oldest makes room. */
const mostClients = 10_000

/**
 * @param now milliseconds since the epoch
 * @param onSlowed gets the address of a client that has to wait, at most once a minute over all clients
 */
export function slowAttempts(now: () => number, onSlowed: (peer: string) => void): SlowedAttempts {
  const clients = new Map<string, Failures>()
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    waitOf(peer) {
      const { until = 0 } = clients.get(clientOf(peer)) ?? {}
      // A clock that was set back must not prolong it.
      return Math.ceil(Math.min(Math.max(0, until - now()), longestMs) / 1000)
    },
    fail(peer) {
      const client = clientOf(peer)
      const at = now()
      const before = clients.get(client)
      const isForgotten = before === undefined || at - before.lastAt > forgottenAfterMs
      const count = isForgotten ? 1 : before.count + 1
      const delay = count < free ? 0 : Math.min(1000 * 2 ** (count - free), longestMs)
      clients.delete(client)
      clients.set(client, { count, lastAt: at, until: at + delay })
      const [oldest] = clients.keys()
      if (clients.size > mostClients && oldest !== undefined) clients.delete(oldest)
      if (delay === 0 || Math.abs(at - saidAt) < longestMs) return
      saidAt = at
      onSlowed(client)
    },
  }
}

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
function clientOf(peer: string | undefined): string {
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
