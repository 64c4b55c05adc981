import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ReaderToken } from '../../config/serve-schema.ts'

/** What a request proves its reader with. */
export interface Credential {
  readonly kind: 'bearer' | 'session'
  readonly value: string
}

/** A bearer token, or the cookie of a login; undefined where there is neither. */
export function credentialIn(request: Request): Credential | undefined {
  const bearer = /^bearer {1,8}([\x21-\x7e]{1,4096})$/i.exec(request.headers.get('authorization')?.trim() ?? '')?.[1]
  if (bearer !== undefined) return { kind: 'bearer', value: bearer }
  const value = sessionIn(request)
  return value === undefined ? undefined : { kind: 'session', value }
}

export interface CredentialCheck {
  /** Whose it is. A login that has expired is not an attempt at a token. */
  check(credential: Credential): ReaderToken | 'expired' | 'wrong'
  /** Whether it was right before: then it is not an attempt, and others' failures do not delay it. */
  wasRightBefore(credential: Credential): boolean
  findToken(given: string): ReaderToken | undefined
}

const mostKnown = 1000

/** @param now milliseconds since the epoch */
export function openCredentials(tokens: readonly ReaderToken[], now: () => number): CredentialCheck {
  const findToken = tokenSearch(tokens)
  /** Digests of credentials, the oldest first. */
  const rightBefore = new Set<string>()
  const nameOf = ({ value }: Credential) => digestOf(value).toString('base64')
  return {
    findToken,
    wasRightBefore: (credential) => rightBefore.has(nameOf(credential)),
    check(credential) {
      const reader = credential.kind === 'bearer' ? findToken(credential.value) : sessionOf(credential.value)
      if (reader === undefined || typeof reader === 'string') return reader ?? 'wrong'
      rightBefore.add(nameOf(credential))
      const [oldest] = rightBefore
      if (rightBefore.size > mostKnown && oldest !== undefined) rightBefore.delete(oldest)
      return reader
    },
  }

  function sessionOf(value: string): ReaderToken | 'expired' | 'wrong' {
    const state = checkSession(value, tokens, now())
    return typeof state === 'string' ? state : state.reader
  }
}

export const cookieName = 'hookdrift_reader'

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

const hours = 12

const ageMs = hours * 3_600_000

/** The clock of the process that made a cookie may be ahead of ours. */
const mostAheadMs = 5 * 60_000

/** What a browser sends after a login: until when, the name of the token, and a code that only the token makes. */
type SessionState = { readonly reader: ReaderToken } | 'expired' | 'wrong'

/** The value of the cookie in a request; undefined where there is none. */
function sessionIn(request: Request): string | undefined {
  const start = `${cookieName}=`
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) || undefined
}

/** Checks a cookie with every token, even after one matched. */
function checkSession(value: string, tokens: readonly ReaderToken[], now: number): SessionState {
  const [digits = '', code = '', ...name] = value.split('.')
  const until = Number(digits)
  if (!/^\d{1,16}$/.test(digits) || until > now + ageMs + mostAheadMs) return 'wrong'
  if (until <= now) return 'expired'
  const given = Buffer.from(code)
  const reader = tokens.reduce<ReaderToken | undefined>((match, one) => {
    const expected = Buffer.from(codeOf(one, until))
    const isSame = given.length === expected.length && timingSafeEqual(given, expected)
    return isSame && (one.name ?? '') === name.join('.') ? one : match
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

/**
 * Creates a search for the token that a client sent. It takes the same time for any that is wrong: digests are
 * compared, in constant time, and with every token even after one matched.
 */
function tokenSearch(tokens: readonly ReaderToken[]): (given: string) => ReaderToken | undefined {
  const digests = tokens.map((reader) => ({ reader, digest: digestOf(reader.token) }))
  return (given) => {
    const digest = digestOf(given)
    return digests.reduce<ReaderToken | undefined>(
      (match, one) => (timingSafeEqual(digest, one.digest) ? one.reader : match),
      undefined,
    )
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
