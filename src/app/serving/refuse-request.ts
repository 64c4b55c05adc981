import { isIP } from 'node:net'
import type { Context, MiddlewareHandler } from 'hono'
import { isLoopback, type ListenAddress } from '../../config/serve-schema.ts'

/** Refuses what nothing here answers: a foreign name, a broken address, a method that changes something. */
export function refuseRequest({
  isHostOfPort,
  forms = [],
}: {
  /** Whether a Host header names this port. */
  isHostOfPort(host: string | undefined): boolean
  /** Paths that take a POST. Default: none. */
  readonly forms?: readonly string[]
}): MiddlewareHandler {
  return async (context, next) => {
    const { host, pathname, search } = new URL(context.req.url)
    // A request may name another host in its address than in its header.
    if (!isHostOfPort(context.req.header('host')) || !isHostOfPort(host)) {
      return context.text('not a name of this port: `hosts` in its configuration lists them\n', 421)
    }
    if (isBroken(pathname) || isBroken(search)) return context.text('not a valid address\n', 400)
    const allowed = forms.includes(pathname) ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']
    if (!allowed.includes(context.req.method)) return refuseMethod(context, allowed)
    return next()
  }
}

function refuseMethod(context: Context, allowed: readonly string[]): Response {
  return context.text(`only ${allowed.join(', ')}\n`, 405, { allow: allowed.join(', ') })
}

/** Whether a part of an address is not UTF-8 once it is decoded, or has a NUL, which no database takes. */
function isBroken(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded).includes('\0')
  } catch {
    return true
  }
}

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
