import { readBody } from '../../app/serving/stream-bytes.ts'
import type { ReaderToken } from '../../config/serve-schema.ts'
import { html } from '../../report/html/markup.ts'
import { layOutNotice } from '../layout.ts'
import { endedCookie, sessionCookie } from './credentials.ts'
import { asPage, isCrossSite, neverStored, reasonToWait, wwwAuthenticate } from './refuse.ts'
import type { SlowedAttempts } from './slow-attempts.ts'

interface LoginTools {
  readonly peer: string | undefined
  /** Whether the browser came by https. */
  readonly isSecure: boolean
  readonly attempts: SlowedAttempts
  readonly findToken: (given: string) => ReaderToken | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly onLogin: (reader: ReaderToken) => void
}

/** Answers `/login`: the form, and what it sends. */
export async function logIn(request: Request, tools: LoginTools): Promise<Response> {
  const { peer, isSecure, attempts, now } = tools
  if (request.method !== 'POST') {
    return asPage(showLoginForm({ to: returnPath(new URL(request.url).searchParams.get('to')) }), 200)
  }
  if (isCrossSite(request)) return refuseForm(403, 'the form of another site')
  const form = await readForm(request)
  if ('refused' in form) return refuseForm(form.refused, 'expected the login form')
  const to = returnPath(form.fields.get('to'))
  const wait = attempts.waitOf(peer)
  if (wait > 0) {
    return asPage(showLoginForm({ to, fault: reasonToWait(wait) }), 429, { 'retry-after': String(wait) })
  }
  const reader = tools.findToken((form.fields.get('token') ?? '').trim())
  if (reader === undefined) {
    attempts.fail(peer)
    return asPage(showLoginForm({ to, fault: 'This token is not known.' }), 401, {
      'www-authenticate': wwwAuthenticate,
    })
  }
  tools.onLogin(reader)
  return goTo(to, sessionCookie(reader, now(), isSecure))
}

/** Answers `/logout`: the browser forgets the login. */
export function logOut(request: Request, isSecure: boolean): Response {
  if (isCrossSite(request)) return refuseForm(403, 'the form of another site')
  return goTo('/login', endedCookie(isSecure))
}

function goTo(location: string, cookie: string): Response {
  return new Response(null, { status: 303, headers: { ...neverStored, location, 'set-cookie': cookie } })
}

function refuseForm(status: number, reason: string): Response {
  return new Response(`${reason}\n`, {
    status,
    headers: { ...neverStored, 'content-type': 'text/plain; charset=utf-8' },
  })
}

/** The page that asks for a token. */
function showLoginForm({
  to,
  fault,
}: {
  /** Of this site. */
  readonly to: string
  /** Why the form is there again. */
  readonly fault?: string
}): string {
  const alarm = fault === undefined ? html`` : html`<p class="fault" id="fault" role="alert">${fault}</p>`
  const described = fault === undefined ? html`` : html` aria-describedby="fault" aria-invalid="true"`
  // A browser does not send the cookie with the first request that follows a link of another site.
  const again =
    to === '/' || fault !== undefined
      ? html``
      : html`<p class="soft">Logged in already, and came by a link? <a href="${to}">Open the page</a>.</p>`
  return layOutNotice(
    'Log in',
    html`${alarm}<form class="login" method="post" action="/login"><p><label for="token">Token</label> <input id="token" name="token" type="password" autocomplete="current-password" required maxlength="200" size="40"${described}></p>
<input type="hidden" name="to" value="${to}">
<p><button>Log in</button></p></form>
${again}<p class="soft">The operator of hookdrift has the token: it is in <code>serve</code> of the configuration.</p>`,
  )
}

/** The fields of a form, or the status for what is not a small form. */
async function readForm(
  request: Request,
): Promise<{ readonly fields: URLSearchParams } | { readonly refused: 413 | 415 }> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type.trim())) return { refused: 415 }
  const body = await readBody(request)
  return body === undefined ? { refused: 413 } : { fields: new URLSearchParams(body.toString('utf8')) }
}

const overview = '/'

/** Where to go after a login: a page of this site, and the overview for anything else that the address names. */
function returnPath(to: string | null | undefined): string {
  // Browsers read `//host` and `/\host` as another site, and drop control characters before they do.
  if (to === null || to === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2000}$/.test(to)) {
    return overview
  }
  const url = URL.parse(to, 'http://pages.invalid')
  // Dots in it are resolved now: `/.//host` is `//host`.
  if (url === null || url.pathname.startsWith('//') || ['/login', '/logout'].includes(url.pathname)) return overview
  return `${url.pathname}${url.search}`
}
