import { looksLikeKey } from '../config/describe-key.ts'
import { defaultDialect } from '../service/dialect.ts'

/** What a person gave as the address of a service, as a base URL. */
export type MendedUrl =
  | {
      readonly url: string
      /** What was changed, a sentence each. */
      readonly notes: readonly string[]
    }
  | { readonly problem: string }

/**
 * Makes a base URL of what people copy: it adds the scheme that is missing, and leaves out the path of the API, a query,
 * a fragment and slashes at the end. Credentials are refused: a URL with them would be shown and stored.
 */
export function mendUrl(given: string): MendedUrl {
  const text = given.trim()
  if (looksLikeKey(text))
    return { problem: 'that is an API key, which comes later: expected a URL such as https://hooks.example.com' }
  const notes: string[] = []
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):\/\//i.exec(text)?.[1]
  if (scheme !== undefined && !/^https?$/i.test(scheme))
    return { problem: `expected a URL with http or https, not ${scheme}` }
  const guess = isLoopbackText(text) ? 'http' : 'https'
  if (scheme === undefined) notes.push(`the URL has no scheme: ${guess} is used`)
  const url = URL.parse(scheme === undefined ? `${guess}://${text}` : text)
  if (url === null || url.hostname === '' || /[\s\0-\x1f]/.test(text))
    return { problem: 'expected a URL such as https://hooks.example.com' }
  if (url.username !== '' || url.password !== '')
    return { problem: 'leave user and password out of the URL: the key is asked for separately' }
  if (url.search !== '' || url.hash !== '') notes.push('what follows ? or # is left out')
  return { url: `${url.origin}${withoutApi(url.pathname, notes)}`, notes }
}

function withoutApi(path: string, notes: string[]): string {
  const { pathPrefix } = defaultDialect
  const at = `${path}/`.indexOf(`${pathPrefix}/`)
  if (at >= 0) notes.push(`${pathPrefix} is left out: hookdrift appends it`)
  const base = at < 0 ? path : path.slice(0, at)
  return base.replace(/\/{1,2000}$/, '')
}

function isLoopbackText(text: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?:[:/]|$)/i.test(text)
}

/** Whether a key may go to this host in clear. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackText(new URL(url).host)
}

/** The same address with the other scheme; a port stays. */
export function withOtherScheme(url: string): string {
  return url.startsWith('https:') ? `http:${url.slice(6)}` : `https:${url.slice(5)}`
}
