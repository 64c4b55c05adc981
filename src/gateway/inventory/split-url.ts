import { isRandomText } from '../../model/secrets/random-text.ts'
import { longestText } from './sealer.ts'

/** An address in its parts; joined they are the text again, except the `@` after userinfo. */
export interface UrlParts {
  /** With its slashes, and blanks before it. */
  readonly scheme: string
  /** Without the `@`; undefined if there is none. */
  readonly userinfo: string | undefined
  /** With the port. */
  readonly host: string
  readonly path: string
  /** With the `?`. */
  readonly query: string
  /** With the `#`. */
  readonly fragment: string
}

/** Splits a text of at most 64 KiB that should be an address, but need not be valid. */
export function splitUrl(address: string): UrlParts {
  // Programs that use an address ignore the blanks around it.
  const [, scheme = '', rest = ''] = /^(\s*(?:[a-z][a-z0-9+.-]*:[/\\]+|[/\\]{2})?)([\s\S]*)$/i.exec(address) ?? []
  const at = userinfoEnd(rest)
  const [, host = '', path = '', query = '', fragment = ''] =
    /^([^/\\?#]*)([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(rest.slice(at + 1)) ?? []
  return { scheme, userinfo: at < 0 ? undefined : rest.slice(0, at), host, path, query, fragment }
}

/** Host of an address as written, without userinfo and port; empty if there is none. */
export function hostOf(address: string): string {
  return address.length > longestText ? '' : splitUrl(address).host.replace(/:\d{0,5}$/, '')
}

/**
 * Index of the `@` after userinfo, or -1. A slash or a question mark in a password would end the authority too early;
 * the rest of the password then looks like a port that is not a number.
 */
function userinfoEnd(rest: string): number {
  if (!rest.includes('@')) return -1
  const authority = /^[^/\\?#]*/.exec(rest)?.[0] ?? ''
  const within = authority.lastIndexOf('@')
  if (within >= 0 || authority.startsWith('[')) return within
  // A key in Base64 may contain slashes: the text before the first one is then not a host.
  if (/^[\w+=-]+$/.test(authority)) {
    const at = rest.lastIndexOf('@')
    return at > 0 && isRandomText(rest.slice(0, at).replaceAll('/', '')) ? at : -1
  }
  return /:\d*$/.test(authority) || !authority.includes(':') ? -1 : rest.lastIndexOf('@')
}
