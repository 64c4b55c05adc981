import type { WireAnswer } from './exchange.ts'
import { foreignText, withoutCredentials } from './foreign-text.ts'
import { failure, type HttpFailure } from './http-outcome.ts'
import { nameOf } from './name-status.ts'
import { shownBase } from './wire-request.ts'

// Answers that a wrong `url` in the configuration gets.

interface Requested {
  /** Base URL of the service. */
  readonly url: string
  /** With the query, from the root of the host. */
  readonly path: string
  /** Must never appear in a message. */
  readonly key: string
}

/** A redirect; where it names the same path elsewhere, with the base URL that would have been right. */
export function readRedirect(answer: WireAnswer, { url, key, path }: Requested): HttpFailure {
  answer.discard()
  const location = answer.header('location')
  const target = location === undefined ? null : URL.parse(location, url)
  const to = target === null || target.host === '' ? 'a redirect' : `a redirect to ${foreignText(target.host, key)}`
  const what = `${nameOf(answer.status)}, ${to} that was not followed because it would carry the key away`
  const base = target === null ? undefined : movedBase(target, path)
  return base === undefined
    ? failure('http', what)
    : failure('wrong_url', what, { hint: `set url: ${foreignText(base, key)}` })
}

/** The base URL that would have been right, where a redirect names the same path elsewhere. */
function movedBase({ origin, pathname, search, protocol }: URL, path: string): string | undefined {
  const asked = path.slice(path.indexOf('/api/'))
  const isSame = /^https?:$/.test(protocol) && path.includes('/api/') && `${pathname}${search}`.endsWith(asked)
  return isSame
    ? withoutCredentials(origin + pathname.slice(0, pathname.length + search.length - asked.length))
    : undefined
}

/** Of an error page, more than its first lines. */
const mostBytes = 16 * 1024

/** Web servers answer so where plain http arrives at a port for TLS. */
export async function readPlainBadRequest(answer: WireAnswer, url: string): Promise<HttpFailure> {
  const what = nameOf(answer.status)
  const bytes = await answer.read(mostBytes).catch(() => undefined)
  const text = bytes?.toString('latin1') ?? ''
  if (!/HTTP request (?:was sent )?to (?:an )?HTTPS (?:port|server)/i.test(text)) return failure('http', what)
  const base = shownBase(url).replace(/^http:/, 'https:')
  return failure('wrong_url', `${what}, the port speaks TLS`, { hint: `set url: ${base}` })
}
