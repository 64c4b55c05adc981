import type { Context, MiddlewareHandler } from 'hono'

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
