import { findAssigned } from '../../model/secrets/assigned-secrets.ts'
import {
  holdsCredential,
  isSecretName,
  isSecretParameter,
  mayHoldSecretName,
} from '../../model/secrets/known-secrets.ts'
import { asSeen, isPlain } from '../../model/secrets/plain-text.ts'
import { isRandomText, shortest } from '../../model/secrets/random-text.ts'
import { type FindSecrets, findCredentials, replaceSecrets } from '../../model/secrets/replace-secrets.ts'
import { isMask, isSeal, isSealLike, longestText, maskingSealer, type Sealer, sealAsSent, sealKnown } from './sealer.ts'
import { splitUrl } from './split-url.ts'

/** Replaces every credential in a text by its seal. */
export function sealCredentials(text: string, sealer: Sealer): string {
  return sealFound(text, sealer, [findCredentials])
}

/**
 * Seals secrets within an identifier, which may look random. With a blank or an equals sign in it, it is words, and the
 * values that they call secret are sealed too; `service-account:billing` stays.
 */
export function sealIdentifier(text: string, sealer: Sealer): string {
  return sealFound(text, sealer, /[\s=]/.test(text) ? [findCredentials, findAssigned] : [findCredentials])
}

/** A text that a person wrote, for reports and the history, which repeat it. */
export function maskCredentials(text: string): string {
  return sealCredentials(text, maskingSealer)
}

/**
 * Seals secrets within a name or what a person typed: addresses by the rule of addresses, credentials, values after
 * `password:` and the like, random words. A text that shows a secret only as a reader sees it (`asSeen`) is kept like
 * that, any other as it is.
 */
export function sealWords(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  const seen = asSeen(text)
  const sealed = sealIn(seen, sealer)
  if (seen === text) return sealed
  // Where the same is hidden in what was written, the rest of it stays to the character.
  const asWritten = sealIn(text, sealer)
  // A character that takes no room may be what separates an option from a word.
  return sealed === seen || asSeen(asWritten) === sealed ? asWritten : sealed
}

/** Whether a text as a reader sees it has anything in it that looks like a secret. */
function holdsSecret(text: string): boolean {
  const seen = asSeen(text)
  return replaceSecrets(seen, () => '') !== seen
}

/** Seals a text for people to read whole if there is anything suspicious in it, and leaves any other as it is. */
export function sealProse(text: string, sealer: Sealer): string {
  return isSealLike(text) || sealWords(text, sealer) !== text ? sealWhole(text, sealer) : text
}

/** The seal of a text, with its length: in UTF-16 code units. */
export function sealWhole(text: string, sealer: Sealer): string {
  const seal = isSealLike(text) ? sealAsSent(text, sealer) : sealer.seal(text)
  return `${seal} (${text.length} characters)`
}

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
  const isCredential = isCredentialHost(host)
  // Words in place of an address.
  if (userinfo === undefined && !isCredential && !isHost(host)) return replaceSecrets(address, sealer.seal)
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
  if (address.length > longestText || isMask(address)) return sealer.seal(address)
  const { scheme, userinfo, host, path, query, fragment } = splitUrl(address)
  const rest = path + query + fragment
  const user = userinfo === undefined ? '' : `${sealer.seal(userinfo)}@`
  return `${scheme}${user}${sealHost(host, sealer)}${sealAll(rest, sealer)}`
}

/** For texts where a secret may be: an address stays readable only if it consists of plain words. */
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

function sealFound(text: string, sealer: Sealer, finders: readonly FindSecrets[]): string {
  return text.length > longestText ? sealer.seal(text) : replaceSecrets(text, sealer.seal, finders)
}

function sealIn(text: string, sealer: Sealer): string {
  return replaceSecrets(sealAddresses(sealKnown(text, sealer), sealer), sealer.seal)
}

function sealAddresses(text: string, sealer: Sealer): string {
  const out: string[] = []
  let at = 0
  for (const { from, to } of findAddresses(text)) {
    out.push(text.slice(at, from), sealUrl(text.slice(from, to), sealer))
    at = to
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

/** The addresses in a text: with a scheme, or at a host whose addresses are credentials. One pass over the text. */
function* findAddresses(text: string): Generator<{ readonly from: number; readonly to: number }> {
  if (!text.includes('/')) return
  for (let at = 0; at < text.length; ) {
    const slashes = text.indexOf('://', at)
    const host = credentialHostIn(text, at, slashes < 0 ? text.length : slashes)
    if (slashes < 0 && host === undefined) return
    const from = host ?? startOfScheme(text, slashes, at)
    const to = endOfAddress(text, host ?? slashes + 3)
    if (to > from) yield { from, to }
    at = Math.max(to, from + 1, host === undefined ? slashes + 3 : 0)
  }
}

function startOfScheme(text: string, end: number, least: number): number {
  let from = end
  while (from > least && end - from < 20 && /[a-z0-9+.-]/i.test(text.charAt(from - 1))) from--
  return from
}

/** Punctuation at its end belongs to the sentence. */
function endOfAddress(text: string, from: number): number {
  let to = from
  while (to < text.length && !/[\s"'`<>|\\^{}]/.test(text.charAt(to))) to++
  while (to > from && /[.,;:!?)\]*_]/.test(text.charAt(to - 1))) to--
  return to
}

function isPlainStep(step: string, index: number, steps: readonly string[]): boolean {
  return isPlain(step) && !isSecretName(steps[index - 1] ?? '')
}

/** A host may carry a key as one of its labels, as tunnels do. */
function sealHost(host: string, sealer: Sealer): string {
  return host.length < 20 ? host : replaceSecrets(host, sealer.seal)
}

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
  if (decoded === name) return replaceSecrets(name, sealer.seal)
  const isKey = /^[A-Za-z0-9+/=]{16,200}$/.test(decoded) && isRandomText(decoded.replace(/[+/=]/g, ''))
  return isKey || holdsSecret(decoded) ? sealer.seal(name) : name
}

function sealAll(rest: string, sealer: Sealer): string {
  if (rest === '' || rest === '/') return rest
  const bare = rest.startsWith('/') ? rest.slice(1) : rest
  if (isSeal(bare)) return rest
  return `/${sealer.seal(isMask(bare) ? bare : rest)}`
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
  return `${replaceSecrets(pair.slice(0, equals), sealer.seal)}=${sealValue(name, value, sealer)}`
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

/** Hosts whose addresses are credentials, with their subdomains: knowing the path is enough to post. */
const credentialHosts = [
  ...['hooks.slack.com', 'hooks.slack-gov.com', 'discord.com', 'discordapp.com', 'chat.googleapis.com'],
  ...['hooks.zapier.com', 'hooks.chime.aws', 'api.telegram.org', 'maker.ifttt.com', 'events.pagerduty.com'],
  ...['events.eu.pagerduty.com', 'webhook.office.com', 'outlook.office.com', 'outlook.office365.com'],
  ...['logic.azure.com', 'api.powerplatform.com', 'hook.make.com', 'hook.eu1.make.com', 'hook.eu2.make.com'],
  ...['hook.us1.make.com', 'hook.us2.make.com', 'hook.integromat.com', 'hooks.glip.com', 'hooks.ringcentral.com'],
]

const escapedHosts = credentialHosts.join('|').replaceAll('.', '\\.')
/** Of a host in lower case, with or without a port and a trailing dot. */
const isBelowCredentialHost = new RegExp(`(?:^|\\.)(?:${escapedHosts})\\.?(?::\\d{0,5})?$`)

/** As programs read a host: escapes, other full stops, and blanks within it make no other one. */
function isCredentialHost(host: string): boolean {
  const name = /[%\s\u3002\uff61]/.test(host)
    ? decode(host)
        .replace(/\s/g, '')
        .replace(/[\u3002\uff61]/g, '.')
    : host
  return name.includes('.') && isBelowCredentialHost.test(name.toLowerCase())
}

/** With a path behind it, and no scheme before it. */
const withPath = new RegExp(`(?<![\\w.-])(?:[\\w-]{1,63}\\.){0,4}(?:${escapedHosts})\\.?(?::\\d{0,5})?/\\w`, 'gi')

/** The index of such a host with a path, between two indexes of a text. */
function credentialHostIn(text: string, from: number, to: number): number | undefined {
  if (!mayHoldHost.test(text)) return undefined
  withPath.lastIndex = from
  const match = withPath.exec(text)
  return match !== null && match.index < to ? match.index : undefined
}

/** A word of each host; most texts have none. */
const mayHoldHost =
  /slack|discord|googleapis|zapier|chime|telegram|ifttt|pagerduty|office|azure|platform|make\.|integromat|glip|ringcentral/i
