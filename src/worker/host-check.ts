import { isIP } from 'node:net'
import type { ListenAddress } from '../config/schedule-schema.ts'

/** Where the port listens, and the names that it answers to; without any, those that fit the address. */
export interface HostPaths extends ListenAddress {
  readonly hosts?: readonly string[] | undefined
}

/**
 * Says whether a request's Host header names this port. A page in a browser can be made to ask an address that its
 * owner cannot reach, by a name of their own that leads there: so a loopback port answers to loopback names alone, and
 * any port to those that the configuration names, where it names some. Addresses cannot be had by such a trick.
 */
export function hostCheck({
  host: listening,
  hosts,
}: Pick<HostPaths, 'host' | 'hosts'>): (header: string | undefined) => boolean {
  const names = hosts ?? (isLoopback(listening) ? [] : undefined)
  const known = new Set([listening, ...(names ?? [])].map((name) => name.toLowerCase()))
  return (header) => {
    // Only HTTP/1.0 leaves it out, which no browser speaks.
    if (header === undefined || names === undefined) return true
    const name = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(header)?.[1]?.toLowerCase().replace(/\.$/, '')
    if (name === undefined) return false
    return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || isLoopback(name) || known.has(name)
  }
}

function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  )
}
