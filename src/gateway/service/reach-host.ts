import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'

/** Where a URL is served. */
export interface HostPort {
  /** A name or an address; without the brackets of IPv6. */
  readonly host: string
  readonly port: number
}

const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

export function hostPortOf(url: string): HostPort {
  const { hostname, port, protocol } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (usualPorts[protocol] ?? 0) }
}

export function isAddress(host: string): boolean {
  return isIP(host) !== 0
}

/** The addresses of a name, as connections see them. Rejects with the system's error. */
export async function resolveHost(host: string): Promise<readonly string[]> {
  const addresses = await lookup(host, { all: true })
  return addresses.map(({ address }) => address)
}

/** Opens a connection and closes it; sends nothing. Rejects with an error that has a `code`. */
export function tryConnection({ host, port }: HostPort, timeoutMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ host, port })
  const end = (report: () => void) => {
    socket.destroy()
    report()
  }
  socket.setTimeout(timeoutMs, () => {
    end(() => reject(Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' })))
  })
  socket.once('error', (error) => end(() => reject(error)))
  socket.once('connect', () => end(resolve))
  return promise
}
