const overview = '/'

/** Where to go after a login: a page of this site, and the overview for anything else that the address names. */
export function returnPath(to: string | null | undefined): string {
  // Browsers read `//host` and `/\host` as another site, and drop control characters before they do.
  if (to === null || to === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2000}$/.test(to)) {
    return overview
  }
  const url = URL.parse(to, 'http://pages.invalid')
  // Dots in it are resolved now: `/.//host` is `//host`.
  if (url === null || url.pathname.startsWith('//') || ['/login', '/logout'].includes(url.pathname)) return overview
  return `${url.pathname}${url.search}`
}
