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
