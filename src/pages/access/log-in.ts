import type { ReaderToken } from '../../config/configuration.ts'
import { isCrossSite } from './cross-site.ts'
import { showLoginForm } from './login-form.ts'
import { readForm } from './read-form.ts'
import { asPage, neverStored, reasonToWait, wwwAuthenticate } from './refuse.ts'
import { returnPath } from './return-path.ts'
import { endedCookie, sessionCookie } from './session-cookie.ts'
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
