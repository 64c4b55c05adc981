import { looksRandom } from '../model/looks-random.ts'
import { longestText } from './bounds.ts'

/** An address in its parts; joined they are the text again, but for the `@` behind userinfo. */
export interface UrlParts {
  /** With its slashes, and blanks before it. */
  readonly scheme: string
  /** Without the `@`; undefined when there is none. */
  readonly userinfo: string | undefined
  /** With the port. */
  readonly host: string
  readonly path: string
  /** With the `?`. */
  readonly query: string
  /** With the `#`. */
  readonly fragment: string
}

/** Splits a text that should be an address; it need not be a valid one. At most 64 KiB. */
export function splitUrl(address: string): UrlParts {
  // A resource's address is split for its host and then to be sealed.
  if (address !== last.address) last = { address, parts: split(address) }
  return last.parts
}

let last: { readonly address: string; readonly parts: UrlParts } = { address: '', parts: split('') }

function split(address: string): UrlParts {
  // What stands around an address is no part of it to those who use it.
  const [, scheme = '', rest = ''] = /^(\s*(?:[a-z][a-z0-9+.-]*:[/\\]+|[/\\]{2})?)([\s\S]*)$/i.exec(address) ?? []
  const at = userinfoEnd(rest)
  const [, host = '', path = '', query = '', fragment = ''] =
    /^([^/\\?#]*)([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(rest.slice(at + 1)) ?? []
  return { scheme, userinfo: at < 0 ? undefined : rest.slice(0, at), host, path, query, fragment }
}

/** Host of an address as it stands, without userinfo and port; empty when there is none. */
export function hostOf(address: string): string {
  return address.length > longestText ? '' : splitUrl(address).host.replace(/:\d{0,5}$/, '')
}

/**
 * Where the `@` behind userinfo stands; -1 when there is none. A password with a slash or a question mark in it would end
 * the authority too early: what is left of it then looks like a port that is no number.
 */
function userinfoEnd(rest: string): number {
  if (!rest.includes('@')) return -1
  const authority = /^[^/\\?#]*/.exec(rest)?.[0] ?? ''
  const within = authority.lastIndexOf('@')
  if (within >= 0 || authority.startsWith('[')) return within
  // A key in Base64 may hold slashes: what stands in front of the first is no host then.
  if (/^[\w+=-]+$/.test(authority)) {
    const at = rest.lastIndexOf('@')
    return at > 0 && looksRandom(rest.slice(0, at).replaceAll('/', '')) ? at : -1
  }
  return /:\d*$/.test(authority) || !authority.includes(':') ? -1 : rest.lastIndexOf('@')
}
