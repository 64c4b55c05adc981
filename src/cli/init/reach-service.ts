import { looksLikeKey } from '../../config/expand-references.ts'
import { defaultDialect } from '../../gateway/service/dialect.ts'
import {
  createServiceExaminer,
  type ServiceExaminer,
  type ServiceGreeting,
} from '../../gateway/service/examine-service.ts'
import type { ProxyVariables } from '../../gateway/service/proxy-for.ts'
import type { HttpFailure } from '../../gateway/service/reply.ts'
import { defaultLimits, type ServiceSettings } from '../../gateway/service/settings.ts'
import { AuditError } from '../../model/errors.ts'
import type { Clock } from '../../model/time.ts'
import { failureDiagnosis } from '../doctor/check.ts'
import { checkConnection } from '../doctor/check-connection.ts'
import { adviceFor } from './find-projects.ts'

/** Prints a line: `good` for what was found to be right, `note` for what a person should know, `text` for the rest. */
export type Say = (how: 'good' | 'note' | 'text', text: string) => void

/** How services are asked. */
export interface ServiceReach {
  readonly clock: Clock
  readonly random: () => number
  readonly env: ProxyVariables
  readonly say: Say
}

/**
 * Finds the base URL at which a service answers, and says what was changed in the given one and who answers. No key is
 * sent.
 * @throws AuditError.usage when the text is not a URL
 * @throws AuditError.incomplete when nothing answers there
 */
export async function reachService(given: string, reaching: ServiceReach): Promise<string> {
  const mended = mendUrl(given)
  if ('problem' in mended) throw AuditError.usage(`--url: ${mended.problem}`)
  const address = await tryBothSchemes(mended.url, reaching)
  for (const note of [...mended.notes, ...address.notes]) reaching.say('note', note)
  await withExaminer(address.url, reaching, async (examiner) => {
    const { diagnoses } = await checkConnection(examiner, { url: address.url, now: reaching.clock.now() })
    reaching.say('good', `${address.url} answers`)
    for (const { status, detail } of diagnoses.flatMap(([, each]) => each)) {
      if (status !== 'skipped') reaching.say(status === 'ok' ? 'good' : 'note', detail)
    }
  })
  if (address.url.startsWith('http:') && !isLoopbackUrl(address.url))
    reaching.say('note', 'the key is sent unencrypted over http: use https where the service has it')
  return address.url
}

/** A service with the usual settings, as the configuration that init writes has them. */
export async function withExaminer<Result>(
  url: string,
  { clock, random, env }: Omit<ServiceReach, 'say'>,
  work: (examiner: ServiceExaminer) => Promise<Result>,
): Promise<Result> {
  const examiner = createServiceExaminer(settingsFor(url), { clock, random, env })
  try {
    return await work(examiner)
  } finally {
    await examiner.close()
  }
}

function settingsFor(url: string): ServiceSettings {
  const more = { pageSize: 1000, limits: defaultLimits, dialect: defaultDialect, ca: undefined, connections: 1 }
  return { name: 'init', url, ...more }
}

async function tryBothSchemes(url: string, reaching: ServiceReach): Promise<{ url: string; notes: readonly string[] }> {
  const { failure, ...first } = await greet(url, reaching)
  if (failure === undefined) return { url, notes: [] }
  const other = withOtherScheme(url)
  // A key that was meant for https goes over http to this machine only.
  const isAllowed = other.startsWith('https:') || isLoopbackUrl(other)
  const isWorthTrying = failure.isWrongScheme || schemeFaults.has(failure.kind)
  if (isWorthTrying && isAllowed && (await greet(other, reaching)).failure === undefined)
    return { url: other, notes: [`the service does not answer at ${url} but at ${other}: this is used`] }
  if (failure.status !== null && failure.kind !== 'wrong_url') return { url, notes: [] }
  throw unreachable(failure, first.url)
}

const schemeFaults: ReadonlySet<HttpFailure['kind']> = new Set(['tls', 'network', 'wrong_url', 'malformed'] as const)

function greet(url: string, reaching: ServiceReach): Promise<ServiceGreeting> {
  return withExaminer(url, reaching, (examiner) => examiner.greet())
}

function unreachable(failure: HttpFailure, url: string): AuditError {
  const { detail } = failureDiagnosis(failure, url)
  return AuditError.incomplete(detail, { advice: adviceFor(failure.kind, url) })
}

/** What a person gave as the address of a service, as a base URL. */
type MendedUrl =
  | {
      readonly url: string
      /** What was changed, a sentence each. */
      readonly notes: readonly string[]
    }
  | { readonly problem: string }

/**
 * Makes a base URL of what people copy: it adds the scheme that is missing, and leaves out the path of the API, a query,
 * a fragment and slashes at the end. Credentials are refused: a URL with them would be shown and stored.
 */
export function mendUrl(given: string): MendedUrl {
  const text = given.trim()
  if (looksLikeKey(text))
    return { problem: 'that is an API key, which comes later: expected a URL such as https://hooks.example.com' }
  const notes: string[] = []
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):\/\//i.exec(text)?.[1]
  if (scheme !== undefined && !/^https?$/i.test(scheme))
    return { problem: `expected a URL with http or https, not ${scheme}` }
  const guess = isLoopbackText(text) ? 'http' : 'https'
  if (scheme === undefined) notes.push(`the URL has no scheme: ${guess} is used`)
  const url = URL.parse(scheme === undefined ? `${guess}://${text}` : text)
  if (url === null || url.hostname === '' || /[\s\0-\x1f]/.test(text))
    return { problem: 'expected a URL such as https://hooks.example.com' }
  if (url.username !== '' || url.password !== '')
    return { problem: 'leave user and password out of the URL: the key is asked for separately' }
  if (url.search !== '' || url.hash !== '') notes.push('what follows ? or # is left out')
  return { url: `${url.origin}${withoutApi(url.pathname, notes)}`, notes }
}

function withoutApi(path: string, notes: string[]): string {
  const { pathPrefix } = defaultDialect
  const at = `${path}/`.indexOf(`${pathPrefix}/`)
  if (at >= 0) notes.push(`${pathPrefix} is left out: hookdrift appends it`)
  const base = at < 0 ? path : path.slice(0, at)
  return base.replace(/\/{1,2000}$/, '')
}

function isLoopbackText(text: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?:[:/]|$)/i.test(text)
}

/** Whether a key may go to this host in clear. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackText(new URL(url).host)
}

/** The same address with the other scheme; a port stays. */
export function withOtherScheme(url: string): string {
  return url.startsWith('https:') ? `http:${url.slice(6)}` : `https:${url.slice(5)}`
}
