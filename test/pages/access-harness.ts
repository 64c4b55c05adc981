import { hostCheck } from '../../src/app/serving/refuse-request.ts'
import type { ServeSettings } from '../../src/config/serve-schema.ts'
import { type AccessWatch, openAccess } from '../../src/pages/access/open-access.ts'
import { openPages } from '../../src/pages/open-pages.ts'
import type { SiteReader, Viewer } from '../../src/pages/page.ts'

export const wholeToken = 'not-a-real-token-of-all'
export const teamToken = 'not-a-real-token-of-a-team'
export const tokens = [
  { name: undefined, token: wholeToken, projects: undefined },
  { name: 'team', token: teamToken, projects: ['acme/p*'] },
]
export const trustedProxy = {
  header: 'x-forwarded-user',
  networks: [{ address: '10.0.0.7', family: 'ipv4', prefix: 32 }],
} as const
export const proxyAddress = '10.0.0.7'

/** Pages that say who reads them, behind the access of some settings, with a clock that a test moves. */
export function openGuardedPages(settings: Partial<Pick<ServeSettings, 'tokens' | 'trustedProxy'>> = { tokens }) {
  const clock = { now: Date.UTC(2026, 10, 23) }
  const log: unknown[] = []
  const scopes: Viewer['projects'][] = []
  const watch: AccessWatch = {
    entered: (reader, peer) => log.push({ entered: reader, peer }),
    slowed: (peer) => log.push({ slowed: peer }),
  }
  const access = openAccess({
    settings: { tokens: [], trustedProxy: undefined, ...settings },
    now: () => clock.now,
    watch,
  })
  const siteOf = ({ projects }: Viewer) => {
    scopes.push(projects)
    return { fetch: (_: Request, { viewer, hasSession }: SiteReader) => Response.json({ ...viewer, hasSession }) }
  }
  const pages = openPages({
    access,
    siteOf,
    isHostOfPort: hostCheck({ host: '0.0.0.0', hosts: ['pages.example.com'] }),
    onFault(error) {
      throw error
    },
  })
  const ask = async (path: string, { peer = '192.0.2.1', headers = {}, ...init }: Asking = {}) =>
    pages(
      new Request(`http://pages.example.com${path}`, { ...init, headers: { host: 'pages.example.com', ...headers } }),
      peer,
    )
  return {
    clock,
    /** What was logged. */
    log,
    /** For which projects a site was made. */
    scopes,
    ask,
    /** Sends the login form as a browser does. */
    login: (token: string, { to = '/', ...asking }: Asking & { readonly to?: string } = {}) =>
      ask('/login', {
        ...asking,
        method: 'POST',
        body: new URLSearchParams({ token, to }).toString(),
        headers: { ...formHeaders, ...asking.headers },
      }),
    bearer: (token: string, asking: Asking = {}) =>
      ask('/violations', { ...asking, headers: { ...asking.headers, authorization: `Bearer ${token}` } }),
    withCookie: (cookie: string, asking: Asking = {}) =>
      ask('/violations', { ...asking, headers: { ...asking.headers, cookie } }),
  }
}

export const formHeaders = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
}

interface Asking extends RequestInit {
  readonly duplex?: 'half'
  readonly peer?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf(answer: Response): string {
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}
