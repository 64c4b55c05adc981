import { clientOf } from './peer-address.ts'

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
