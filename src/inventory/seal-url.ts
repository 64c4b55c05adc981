import {
  credentials,
  isIdentifier,
  isSecretParameter,
  looksRandom,
  mayHoldCredential,
  replaceAssigned,
  replaceRandomWords,
} from '../model/looks-secret.ts'
import type { Sealer } from './sealer.ts'

/** Hosts whose addresses are credentials: whoever knows the path may post. */
const credentialHosts =
  /^(?:hooks\.slack\.com|discord(?:app)?\.com|[^/]*\.webhook\.office\.com|[^/]*\.logic\.azure\.com|hooks\.zapier\.com)$/i

/**
 * Seals what is secret within an address and leaves the rest readable: userinfo, query and fragment values with a
 * token-like name or form, what is random in a path, the whole path at hosts whose addresses are credentials. The text need not be a valid URL.
 */
export function sealUrl(address: string, sealer: Sealer): string {
  const { scheme, userinfo, host, path, query, fragment } = split(address)
  if (userinfo === undefined && query === '' && fragment === '' && !credentialHosts.test(host)) {
    return scheme + host + sealPath(path, sealer)
  }
  return [
    scheme,
    userinfo === undefined ? '' : `${sealer.seal(userinfo)}@`,
    host,
    credentialHosts.test(host) ? sealAll(path, sealer) : sealPath(path, sealer),
    sealPairs(query, sealer),
    sealPairs(fragment, sealer),
  ].join('')
}

/** Seals everything behind the host. */
export function sealBehindHost(address: string, sealer: Sealer): string {
  const { scheme, userinfo, host, path, query, fragment } = split(address)
  const rest = path + query + fragment
  return `${scheme}${userinfo === undefined ? '' : `${sealer.seal(userinfo)}@`}${host}${sealAll(rest, sealer)}`
}

/** Replaces everything in a text that has the form of a credential by its seal. */
export function sealCredentials(text: string, sealer: Sealer): string {
  return mayHoldCredential(text) ? text.replace(credentials, (found) => sealer.seal(found)) : text
}

/**
 * Seals within words that people wrote what has the form of a credential, stands behind `password:` and the like, or looks random. Identifiers stay: people know
 * and select things by them.
 */
export function sealProse(text: string, sealer: Sealer): string {
  return replaceRandomWords(replaceAssigned(sealCredentials(text, sealer), sealer.seal), sealer.seal, isIdentifier)
}

/** Host of an address as it stands, without userinfo and port; empty when there is none. */
export function hostOf(address: string): string {
  return split(address).host.replace(/:\d*$/, '')
}

/** Segment by segment: a slash is a character of random words too. */
function sealPath(path: string, sealer: Sealer): string {
  return sealCredentials(path, sealer).replace(/[^/]{20,}/g, (segment) =>
    replaceRandomWords(segment, sealer.seal, isIdentifier),
  )
}

function sealAll(rest: string, sealer: Sealer): string {
  return rest === '' || rest === '/' ? rest : `/${sealer.seal(rest)}`
}

function split(address: string) {
  // What stands around an address is no part of it to those who use it.
  const [, scheme = '', rest = ''] = /^(\s*(?:[a-z][a-z0-9+.-]*:[/\\]+|[/\\]{2})?)([\s\S]*)$/i.exec(address) ?? []
  const at = userinfoEnd(rest)
  const [, host = '', path = '', query = '', fragment = ''] =
    /^([^/\\?#]*)([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(rest.slice(at + 1)) ?? []
  return { scheme, userinfo: at < 0 ? undefined : rest.slice(0, at), host, path, query, fragment }
}

/**
 * Where the `@` behind userinfo stands; -1 when there is none. A password with a slash or a question mark in it would end
 * the authority too early: what is left of it then looks like a port that is no number.
 */
function userinfoEnd(rest: string): number {
  const authority = /^[^/\\?#]*/.exec(rest)?.[0] ?? ''
  const within = authority.lastIndexOf('@')
  if (within >= 0 || authority.startsWith('[')) return within
  return /:\d*$/.test(authority) || !authority.includes(':') ? -1 : rest.lastIndexOf('@')
}

/** `?a=1&token=x` → `?a=1&token=sealed:…`. */
function sealPairs(part: string, sealer: Sealer): string {
  if (part === '') return part
  const pairs = part
    .slice(1)
    .split(/([&;])/)
    .map((pair) => {
      const equals = pair.indexOf('=')
      if (equals < 0) return looksRandom(pair) ? sealer.seal(pair) : sealPath(pair, sealer)
      const value = pair.slice(equals + 1)
      const isSecret = value !== '' && (isSecretParameter(decode(pair.slice(0, equals))) || looksRandom(value))
      return pair.slice(0, equals + 1) + (isSecret ? sealer.seal(value) : sealPath(value, sealer))
    })
  return part[0] + pairs.join('')
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
