import { html } from '../../report/html/markup.ts'
import { layOutNotice } from '../layout.ts'

export const wwwAuthenticate = 'Bearer realm="hookdrift"'
export const neverStored = { 'cache-control': 'no-store' } as const

/** Asks a reader for a token: a program by the status, a person by the form. */
export function askForToken(request: Request, cookies: readonly string[] = []): Response {
  const { pathname, search } = new URL(request.url)
  const headers = new Headers(neverStored)
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  if (isForPrograms(pathname)) {
    headers.set('content-type', 'application/json')
    headers.set('www-authenticate', wwwAuthenticate)
    const error = { message: 'no token, or one that is not known', advice: 'send `Authorization: Bearer TOKEN`' }
    return new Response(writeJson(error), { status: 401, headers })
  }
  const to = `${pathname}${search}`
  headers.set('location', to === '/' ? '/login' : `/login?${new URLSearchParams({ to })}`)
  return new Response(null, { status: 303, headers })
}

/** Refuses a reader whom no form helps. */
export function refuseReader(request: Request, reason: string): Response {
  const headers = { ...neverStored, 'www-authenticate': wwwAuthenticate }
  return answerInKind(request, { status: 401, headers, title: 'Not logged in', reason })
}

/** Makes a client wait that tried too many tokens. */
export function makeWait(request: Request, seconds: number): Response {
  const headers = { ...neverStored, 'retry-after': String(seconds) }
  return answerInKind(request, { status: 429, headers, title: 'Too many attempts', reason: reasonToWait(seconds) })
}

export function reasonToWait(seconds: number): string {
  return `Too many wrong tokens came from this address: try again in ${seconds} s.`
}

export function asPage(page: string, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(page, {
    status,
    headers: { ...neverStored, ...headers, 'content-type': 'text/html; charset=UTF-8' },
  })
}

function answerInKind(
  request: Request,
  {
    status,
    headers,
    title,
    reason,
  }: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly title: string
    readonly reason: string
  },
): Response {
  if (!isForPrograms(new URL(request.url).pathname)) {
    return asPage(layOutNotice(title, html`<p>${reason}</p>`), status, headers)
  }
  const body = writeJson({ message: reason, advice: null })
  return new Response(body, { status, headers: { ...headers, 'content-type': 'application/json' } })
}

function isForPrograms(path: string): boolean {
  return path === '/feed.atom' || path === '/mcp' || path === '/api' || path.startsWith('/api/')
}

function writeJson(error: { readonly message: string; readonly advice: string | null }): string {
  return `${JSON.stringify({ error }, null, 2)}\n`
}

/**
 * Whether a form was sent by a page of another site. Browsers say so in a header that scripts cannot set, or, over
 * plain http, in `Origin`. What says neither is not a browser.
 */
export function isCrossSite({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('origin')
  if (origin === null) return false
  const page = URL.parse(origin)
  // `Host` may name the port that is left out of an origin.
  return page === null || URL.parse(`${page.protocol}//${headers.get('host')}`)?.host !== page.host
}
