import { isIP } from 'node:net'
import { isLoopback, type ListenAddress } from '../config/listen-schema.ts'

/** The address of the port, and the names that it answers to; without any, those that fit the address. */
export interface NamedAddress extends ListenAddress {
  readonly hosts?: readonly string[] | undefined
}

/**
 * Creates a check of a request's Host header against this port. A web page can make a browser send requests to an
 * address that its owner cannot reach, through a name of their own (DNS rebinding). So a loopback port answers to
 * loopback names only, and any port only to the configured names, if there are any. The attack does not work with
 * addresses.
 */
export function hostCheck({
  host: listening,
  hosts,
}: Pick<NamedAddress, 'host' | 'hosts'>): (header: string | undefined) => boolean {
  const names = hosts ?? (isLoopback(listening) ? [] : undefined)
  const allowedNames = new Set([listening, ...(names ?? [])].map((name) => name.toLowerCase()))
  return (header) => {
    // Only HTTP/1.0 leaves it out, and browsers do not send that.
    if (header === undefined || names === undefined) return true
    const name = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(header)?.[1]?.toLowerCase().replace(/\.$/, '')
    if (name === undefined) return false
    return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || isLoopback(name) || allowedNames.has(name)
  }
}
