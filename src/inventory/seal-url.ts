import { holdsCredential, isSecretName, isSecretParameter, mayHoldSecretName } from '../secrets/known-secrets.ts'
import { isPlain } from '../secrets/plain-text.ts'
import { isRandomText, replaceGrouped, shortest } from '../secrets/random-text.ts'
import { asSeen } from '../secrets/seen-text.ts'
import { longestText } from './bounds.ts'
import { isCredentialHost } from './credential-hosts.ts'
import { holdsSecret, sealCredentials, sealRandom, sealWords } from './seal-text.ts'
import { isSeal, type Sealer } from './sealer.ts'
import { skipHarmless } from './skip-harmless.ts'
import { splitUrl } from './split-url.ts'

/**
 * Seals the secrets within an address and leaves the rest readable: userinfo, query and fragment values with a
 * token-like name or form, path segments that are random or follow a secret's name, the whole path at hosts whose
 * addresses are credentials. The text need not be a valid URL.
 */
export function sealUrl(address: string, sealer: Sealer): string {
  if (address.length > longestText) return sealer.seal(address)
  const seen = asSeen(address)
  if (seen !== address) {
    const sealed = sealUrl(seen, sealer)
    return sealed === seen ? address : sealed
  }
  const { scheme, userinfo, host, path, query, fragment } = splitUrl(address)
  // Words in place of an address.
  if (userinfo === undefined && !isHost(host)) return sealWords(address, sealer)
  const isCredential = isCredentialHost(host)
  if (userinfo === undefined && query === '' && fragment === '' && !isCredential) {
    return scheme + sealHost(host, sealer) + sealPath(path, sealer)
  }
  return [
    scheme,
    userinfo === undefined ? '' : `${sealer.seal(userinfo)}@`,
    sealHost(host, sealer),
    isCredential ? sealAll(path, sealer) : sealPath(path, sealer),
    sealPairs(query, sealer),
    sealPairs(fragment, sealer),
  ].join('')
}

/** Seals everything after the host. */
export function sealBehindHost(address: string, sealer: Sealer): string {
  if (address.length > longestText) return sealer.seal(address)
  const { scheme, userinfo, host, path, query, fragment } = splitUrl(address)
  const rest = path + query + fragment
  const user = userinfo === undefined ? '' : `${sealer.seal(userinfo)}@`
  return `${scheme}${user}${sealHost(host, sealer)}${sealAll(rest, sealer)}`
}

/** For places where a secret may be: an address stays readable only if it consists of plain words. */
export function sealUnlessPlainUrl(address: string, sealer: Sealer): string {
  if (address.length > longestText) return sealer.seal(address)
  const { scheme, userinfo, host, path, query, fragment } = splitUrl(address)
  if (userinfo !== undefined || !isPlain(host.replace(/:\d{1,5}$/, ''))) return sealer.seal(address)
  const isReadable = query === '' && fragment === '' && !isCredentialHost(host) && path.split('/').every(isPlainStep)
  return isReadable ? address : `${scheme}${host}${sealAll(path + query + fragment, sealer)}`
}

/** Whether a text is an address with a scheme. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(text)
}

function isPlainStep(step: string, index: number, steps: readonly string[]): boolean {
  return isPlain(step) && !isSecretName(steps[index - 1] ?? '')
}

/** A host may carry a key as one of its labels, as tunnels do. */
const sealHost = skipHarmless((host: string, sealer: Sealer): string => {
  return host.length < 20 ? host : sealRandom(sealCredentials(replaceGrouped(host, sealer.seal), sealer), sealer)
})

/** Of a host with or without a port; also with `*` and the like in it, as lists of brokers have them. */
function isHost(host: string): boolean {
  return !/[^\w.:[\]*~%@+-]|[A-Za-z][:+~%]\D/.test(host)
}

/** Step by step, and steps together: a key in Base64 has slashes. */
function sealPath(path: string, sealer: Sealer): string {
  if (path.length < 8) return path
  const open = sealCredentials(sealEncoded(path, sealer), sealer)
  const mayNameSecret = mayHoldSecretName(open)
  // Most paths: no step is long enough to look random, is a part of a key, has parameters or follows a secret's name.
  if (!mayNameSecret && !/[^/]{16}|[;%+=\sA-Z]/.test(open)) return open
  const steps = open.split('/')
  const out: string[] = []
  for (let at = 0; at < steps.length; ) {
    const end = endOfKey(steps, at)
    if (end > at) out.push(sealer.seal(steps.slice(at, end).join('/')))
    else out.push(sealStep(steps[at] ?? '', mayNameSecret ? (steps[at - 1] ?? '') : '', sealer))
    at = Math.max(end, at + 1)
  }
  return out.join('/')
}

/** Seals steps that are a credential once they are decoded: as they are written, a part of it would be found. */
function sealEncoded(path: string, sealer: Sealer): string {
  if (!path.includes('%')) return path
  const steps = path.split('/')
  return steps.map((step) => (step.includes('%') && holdsCredential(decode(step)) ? sealer.seal(step) : step)).join('/')
}

/** Where the steps from an index on are one key in Base64, the index behind its last step; else the same index. */
function endOfKey(steps: readonly string[], from: number): number {
  // Hardly a part of a key that could give it away is without a capital.
  if (!/[A-Z%]/.test(steps[from] ?? '')) return from
  let end = from
  let length = 0
  // A short word in between may be a part of the key.
  for (let at = from; at < steps.length && at - from < mostSteps; at++) {
    const step = decode(steps[at] ?? '')
    if (!/^[A-Za-z0-9+/=]{0,200}$/.test(step) || isSeal(step)) break
    length += step.length
    if (!isPlain(step) || isOfMixedCase(step)) end = at + 1
    else if (at === from || step.length > longestWithin) break
  }
  if (length < shortest || end === from) return from
  const joined = steps.slice(from, end).map(decode).join('')
  return isRandomText(joined.replace(/[+/=]/g, '')) ? end : from
}

/** `dRNwwdortwj`: letters alone, which may be a word, or a part of a key. */
function isOfMixedCase(step: string): boolean {
  return /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(step)
}

/** Of a key of 64 bytes there are rarely more. */
const mostSteps = 12
/** Longer words are steps of their own. */
const longestWithin = 5

function sealStep(step: string, before: string, sealer: Sealer): string {
  if (step === '' || isSeal(step)) return step
  const [name = '', ...parameters] = step.split(';')
  const first = sealName(name, before, sealer)
  return parameters.length === 0 ? first : `${first};${parameters.map((pair) => sealPair(pair, sealer)).join(';')}`
}

function sealName(name: string, before: string, sealer: Sealer): string {
  if (name === '' || isSeal(name)) return name
  if (before !== '' && isSecretName(decode(before)) && !/^[a-z]{1,15}$/.test(name)) return sealer.seal(name)
  const decoded = decode(name)
  if (decoded === name) return sealWords(name, sealer)
  const isKey = /^[A-Za-z0-9+/=]{16,200}$/.test(decoded) && isRandomText(decoded.replace(/[+/=]/g, ''))
  return isKey || holdsSecret(decoded) ? sealer.seal(name) : name
}

function sealAll(rest: string, sealer: Sealer): string {
  if (rest === '' || rest === '/') return rest
  return rest.startsWith('/') && isSeal(rest.slice(1)) ? rest : `/${sealer.seal(rest)}`
}

/** `?a=1&token=x` → `?a=1&token=sealed:…`. */
function sealPairs(part: string, sealer: Sealer): string {
  if (part === '') return part
  const pairs = part.slice(1).split(/([&;])/)
  return part.charAt(0) + pairs.map((pair) => sealPair(pair, sealer)).join('')
}

function sealPair(pair: string, sealer: Sealer): string {
  const equals = pair.indexOf('=')
  if (equals < 0) return isSeal(pair) || isPlain(decode(pair)) ? pair : sealer.seal(pair)
  const value = pair.slice(equals + 1)
  const name = decode(pair.slice(0, equals))
  if (value === '') return pair
  return `${sealRandom(pair.slice(0, equals), sealer)}=${sealValue(name, value, sealer)}`
}

function sealValue(name: string, value: string, sealer: Sealer): string {
  if (isSecretParameter(name)) return sealer.seal(value)
  if (isUrl(value)) return sealUrl(value, sealer)
  return hidesMore(decode(value), sealer) ? sealer.seal(value) : sealPath(value, sealer)
}

/** A value may contain an address or JSON with its own secrets; slashes of Base64 are not a path. */
function hidesMore(value: string, sealer: Sealer): boolean {
  if (holdsSecret(value.replaceAll('+', ' '))) return true
  if (value.length >= 20 && /[\d+=]/.test(value) && isRandomText(value.replaceAll('/', ''))) return true
  if (/^\s*[[{"]/.test(value)) return !isPlain(value)
  return value.includes('://') && !isSeal(value) && sealUrl(value, sealer) !== value
}

/** Also where it is encoded twice. */
function decode(text: string): string {
  let decoded = text
  for (let times = 0; times < 3 && decoded.includes('%'); times++) {
    try {
      decoded = decodeURIComponent(decoded)
    } catch {
      break
    }
  }
  return decoded
}
