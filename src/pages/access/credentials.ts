import type { ReaderToken } from '../../config/configuration.ts'
import { digestOf, tokenSearch } from './reader-tokens.ts'
import { checkSession, sessionIn } from './session-cookie.ts'

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
  isKnown(credential: Credential): boolean
  findToken(given: string): ReaderToken | undefined
}

const mostKnown = 1000

/** @param now milliseconds since the epoch */
export function openCredentials(tokens: readonly ReaderToken[], now: () => number): CredentialCheck {
  const findToken = tokenSearch(tokens)
  /** Digests of credentials, the oldest first. */
  const known = new Set<string>()
  const nameOf = ({ value }: Credential) => digestOf(value).toString('base64')
  return {
    findToken,
    isKnown: (credential) => known.has(nameOf(credential)),
    check(credential) {
      const found = credential.kind === 'bearer' ? findToken(credential.value) : sessionOf(credential.value)
      if (found === undefined || typeof found === 'string') return found ?? 'wrong'
      known.add(nameOf(credential))
      const [oldest] = known
      if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
      return found
    },
  }

  function sessionOf(value: string): ReaderToken | 'expired' | 'wrong' {
    const state = checkSession(value, tokens, now())
    return typeof state === 'string' ? state : state.reader
  }
}
