/**
 * An address as the service writes it back (Go's `url.Parse` and `String`): the scheme in lower case, what a path cannot
 * have percent-encoded, and all else as it is. Tried on v26.3.6.
 */
export function asGoUrl(address: string): string {
  const [scheme = ''] = /^[a-z][a-z0-9+.-]{0,20}:/i.exec(address) ?? []
  const isHierarchical = address.startsWith('//', scheme.length)
  const slash = isHierarchical ? address.indexOf('/', scheme.length + 2) : scheme.length
  const from = slash === -1 ? address.length : slash
  const ends = ['?', '#'].map((mark) => address.indexOf(mark, scheme.length)).filter((at) => at !== -1)
  const to = Math.min(address.length, ...ends)
  if (scheme === '' || from > to || to - from > longestPath) return address
  return `${scheme.toLowerCase()}${address.slice(scheme.length, from)}${asGoPath(address.slice(from, to))}${address.slice(to)}`
}

const longestPath = 2000

function asGoPath(path: string): string {
  if (/^(?:[\w.~$&+,/:;=@!'()*[\]-]|%[0-9a-f]{2}){0,2000}$/i.test(path)) return path
  try {
    return encodeURI(decodeURIComponent(path)).replace(/[!'()*?#[\]]/g, (one) => {
      return `%${one.charCodeAt(0).toString(16).toUpperCase()}`
    })
  } catch {
    return path
  }
}
