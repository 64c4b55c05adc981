/**
 * An address as the service writes it back (Go's `url.Parse` and `String`): the scheme in lower case, what a path cannot
 * have percent-encoded, and all else as it is. Tried on v26.3.6.
 */
export function asGoUrl(address: string): string {
  const [, scheme, authority = '', path = '', rest = ''] =
    /^([a-z][a-z0-9+.-]{0,20}:)(\/\/[^/?#]*)?([^?#]*)(.*)$/is.exec(address) ?? []
  if (scheme === undefined) return address
  return `${scheme.toLowerCase()}${authority}${asGoPath(path)}${rest}`
}

function asGoPath(path: string): string {
  if (/^(?:[\w.~$&+,/:;=@!'()*[\]-]|%[0-9a-f]{2})*$/i.test(path)) return path
  try {
    return encodeURI(decodeURIComponent(path)).replace(/[!'()*?#[\]]/g, (one) => {
      return `%${one.charCodeAt(0).toString(16).toUpperCase()}`
    })
  } catch {
    return path
  }
}
