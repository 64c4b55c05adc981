import { isSecretName, isSecretParameter, mayHoldSecretName } from '../secrets/known-secrets.ts'
import { isPlain } from '../secrets/plain-text.ts'
import { isRandomText } from '../secrets/random-text.ts'
import { longestText } from './bounds.ts'
import { sealCredentials, sealRandom } from './seal-text.ts'
import { isSeal, type Sealer } from './sealer.ts'
import { skipHarmless } from './skip-harmless.ts'
import { splitUrl } from './split-url.ts'

/** Hosts whose addresses are credentials, with their subdomains: knowing the path is enough to post. */
const credentialHosts = [
  ...['hooks.slack.com', 'hooks.slack-gov.com', 'discord.com', 'discordapp.com', 'chat.googleapis.com'],
  ...['hooks.zapier.com', 'hooks.chime.aws', 'api.telegram.org', 'maker.ifttt.com'],
  ...['webhook.office.com', 'logic.azure.com', 'api.powerplatform.com', 'hook.make.com', 'hook.integromat.com'],
]

const escapedHosts = credentialHosts.join('|').replaceAll('.', '\\.')
/** Of a host in lower case, with or without a port and a trailing dot. */
const isBelowCredentialHost = new RegExp(`(?:^|\\.)(?:${escapedHosts})\\.?(?::\\d{0,5})?$`)

/**
 * Seals the secrets within an address and leaves the rest readable: userinfo, query and fragment values with a
 * token-like name or form, path segments that are random or follow a secret's name, the whole path at hosts whose
 * addresses are credentials. The text need not be a valid URL.
 */
export function sealUrl(address: string, sealer: Sealer): string {
  if (address.length > longestText) return sealer.seal(address)
  const { scheme, userinfo, host, path, query, fragment } = splitUrl(address)
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

function isCredentialHost(host: string): boolean {
  return host.includes('.') && isBelowCredentialHost.test(host.toLowerCase())
}

/** A host may carry a key as one of its labels, as tunnels do. */
const sealHost = skipHarmless((host: string, sealer: Sealer): string => {
  return host.length < 20 ? host : sealRandom(host, sealer)
})

/** Segment by segment, because random words may contain slashes. */
function sealPath(path: string, sealer: Sealer): string {
  if (path.length < 8) return path
  const open = sealCredentials(path, sealer)
  // Most paths: no step is long enough to look random, has parameters or follows a secret's name.
  if (!/[^/]{16}|;/.test(open) && !mayHoldSecretName(open)) return open
  const steps = open.split('/')
  return steps.map((step, index) => sealStep(step, steps[index - 1] ?? '', sealer)).join('/')
}

function sealStep(step: string, before: string, sealer: Sealer): string {
  if (step === '' || isSeal(step)) return step
  const [name = '', ...parameters] = step.split(';')
  const behindSecret = isSecretName(before) && !/^[a-z]{1,15}$/.test(name)
  const first = behindSecret ? sealer.seal(name) : sealRandom(name, sealer)
  return parameters.length === 0 ? first : `${first};${parameters.map((pair) => sealPair(pair, sealer)).join(';')}`
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
  if (value.length >= 20 && /[\d+=]/.test(value) && isRandomText(value.replaceAll('/', ''))) return true
  if (/^\s*[[{"]/.test(value)) return !isPlain(value)
  return value.includes('://') && !isSeal(value) && sealUrl(value, sealer) !== value
}

function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
