import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ReaderToken } from '../../config/configuration.ts'

export const cookieName = 'hookdrift_reader'
const hours = 12
const ageMs = hours * 3_600_000

/** What a browser sends after a login: until when, the name of the token, and a code that only the token makes. */
export type SessionState = { readonly reader: ReaderToken } | 'expired' | 'wrong'

/**
 * Makes the cookie of a login. It does not hold the token, and no process remembers it: every process that knows the
 * token accepts it, until its time ends or the token is replaced.
 * @param now milliseconds since the epoch
 * @param isSecure whether the browser came by https
 */
export function sessionCookie(reader: ReaderToken, now: number, isSecure: boolean): string {
  const until = now + ageMs
  return cookie(`${until}.${codeOf(reader, until)}.${reader.name ?? ''}`, hours * 3600, isSecure)
}

/** Makes a browser forget the cookie. */
export function endedCookie(isSecure: boolean): string {
  return cookie('', 0, isSecure)
}

/** The value of the cookie in a request; undefined where there is none. */
export function sessionIn(request: Request): string | undefined {
  const start = `${cookieName}=`
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) || undefined
}

/** Checks a cookie with every token, even after one matched. */
export function checkSession(value: string, tokens: readonly ReaderToken[], now: number): SessionState {
  const [digits = '', code = '', ...name] = value.split('.')
  const until = Number(digits)
  if (!/^\d{1,16}$/.test(digits) || until > now + ageMs) return 'wrong'
  if (until <= now) return 'expired'
  const given = Buffer.from(code)
  const reader = tokens.reduce<ReaderToken | undefined>((found, one) => {
    const expected = Buffer.from(codeOf(one, until))
    const isSame = given.length === expected.length && timingSafeEqual(given, expected)
    return isSame && (one.name ?? '') === name.join('.') ? one : found
  }, undefined)
  return reader === undefined ? 'wrong' : { reader }
}

/** The purpose is part of it, so that no other use of the token makes the same code. */
function codeOf({ name = '', token }: ReaderToken, until: number): string {
  const content = JSON.stringify(['hookdrift pages session', name, until])
  return createHmac('sha256', token).update(content).digest('base64url')
}

function cookie(value: string, maxAge: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : ''
  return `${cookieName}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure}`
}
