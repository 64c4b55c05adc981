import type { ReaderToken, ServeSettings, TrustedProxy } from '../../config/serve-schema.ts'
import { neutralise } from '../../model/text/neutralise.ts'
import { everyone, type Viewer } from '../page.ts'
import { type Credential, credentialIn, endedCookie, openCredentials } from './credentials.ts'
import { logIn, logOut } from './log-in.ts'
import { askForToken, makeWait, refuseReader } from './refuse.ts'
import { addressCheck, slowAttempts } from './slow-attempts.ts'

/** Decides who may read the pages. */
export interface Access {
  /** @param peer the address that the connection comes from */
  admit(request: Request, peer: string | undefined): Promise<Admission>
}

/** A reader, or the answer to a request that has none. */
export type Admission =
  | {
      readonly viewer: Viewer
      /** Whether the browser logged in, so that it can log out. */
      readonly hasSession: boolean
    }
  | { readonly response: Response }

export interface AccessOptions {
  readonly settings: Pick<ServeSettings, 'tokens' | 'trustedProxy'>
  /** Milliseconds since the epoch. */
  now(): number
  readonly watch: AccessWatch
}

/** For the log. No name has control characters. */
export interface AccessWatch {
  /** A reader logged in, or a proxy named one for the first time. */
  entered(reader: string | undefined, peer: string | undefined): void
  /** Clients have to wait because they tried wrong tokens. */
  slowed(peer: string): void
}

/** Without tokens and a proxy, it admits everyone: only this machine reaches such pages. */
export function openAccess({ settings, now, watch }: AccessOptions): Access {
  const { tokens, trustedProxy } = settings
  if (tokens.length === 0 && trustedProxy === undefined) {
    return { admit: async () => ({ viewer: everyone, hasSession: false }) }
  }
  const proxiedOf = readProxied(trustedProxy)
  const attempts = slowAttempts(now, (peer) => watch.slowed(peer))
  const credentials = openCredentials(tokens, now)
  const enter = noteOnce((user, peer) => watch.entered(user, peer))

  return {
    async admit(request, peer) {
      const proxied = proxiedOf(request, peer)
      const isSecure = proxied?.isSecure === true || request.headers.get('origin')?.startsWith('https://') === true
      if (proxied !== undefined && proxied.user === undefined) {
        return { response: refuseReader(request, 'The proxy in front did not name its user.') }
      }
      const { pathname } = new URL(request.url)
      if (tokens.length > 0 && pathname === '/login') {
        const onLogin = ({ name }: ReaderToken) => watch.entered(name, peer)
        const { findToken } = credentials
        return { response: await logIn(request, { peer, isSecure, attempts, findToken, now, onLogin }) }
      }
      if (tokens.length > 0 && pathname === '/logout' && request.method === 'POST') {
        return { response: logOut(request, isSecure) }
      }
      const credential = credentialIn(request)
      if (proxied?.user !== undefined) {
        enter(proxied.user, peer)
        return admitProxied(proxied.user, credential)
      }
      if (tokens.length === 0) {
        return { response: refuseReader(request, 'The pages are open through the proxy in front only.') }
      }
      return credential === undefined
        ? { response: askForToken(request) }
        : admitWith(credential, request, { peer, isSecure })
    },
  }

  /** A token that the user has besides may narrow what is seen. A foreign one, meant for others, does nothing. */
  function admitProxied(name: string, credential: Credential | undefined): Admission {
    const reader = credential === undefined ? 'wrong' : credentials.check(credential)
    if (typeof reader === 'string') return { viewer: { name, projects: undefined }, hasSession: false }
    return admitted(name, reader, credential)
  }

  function admitWith(
    credential: Credential,
    request: Request,
    { peer, isSecure }: { readonly peer: string | undefined; readonly isSecure: boolean },
  ): Admission {
    const wait = credentials.wasRightBefore(credential) ? 0 : attempts.waitOf(peer)
    if (wait > 0) return { response: makeWait(request, wait) }
    const reader = credentials.check(credential)
    if (typeof reader === 'object') {
      return admitted(reader.name, reader, credential)
    }
    if (reader === 'wrong') attempts.fail(peer)
    // A browser that keeps a cookie that is not right would fail with every page.
    return { response: askForToken(request, credential.kind === 'session' ? [endedCookie(isSecure)] : []) }
  }
}

/** A browser sends the cookie of a login by itself, so it proves no wish to write. */
function admitted(name: string | undefined, { projects, may }: ReaderToken, credential?: Credential): Admission {
  const hasSession = credential?.kind === 'session'
  return { viewer: { name, projects, may: hasSession ? undefined : may }, hasSession }
}

const mostNoted = 1000

/** Passes each user on once; beyond a thousand, it begins anew. */
function noteOnce(note: AccessWatch['entered']): (user: string, peer: string | undefined) => void {
  const noted = new Set<string>()
  return (user, peer) => {
    if (noted.has(user)) return
    if (noted.size >= mostNoted) noted.clear()
    noted.add(user)
    note(user, peer)
  }
}

const longestName = 200

/** What a proxy in front says of a request; undefined for a request that does not come from it. */
interface ProxiedRequest {
  /** The user, fit for a log; undefined where the proxy named none. */
  readonly user: string | undefined
  /** Whether the user's connection to the proxy is encrypted. */
  readonly isSecure: boolean
}

/** Creates a reader of what the proxy adds. From any other address its headers mean nothing. */
function readProxied(
  proxy: TrustedProxy | undefined,
): (request: Request, peer: string | undefined) => ProxiedRequest | undefined {
  if (proxy === undefined) return () => undefined
  const isProxy = addressCheck(proxy.networks)
  return ({ headers }, peer) => {
    if (!isProxy(peer)) return undefined
    const name = (headers.get(proxy.header) ?? '').trim().slice(0, longestName)
    return {
      user: name === '' ? undefined : neutralise(name),
      isSecure: headers.get('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase() === 'https',
    }
  }
}
