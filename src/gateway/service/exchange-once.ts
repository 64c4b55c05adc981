import { isJsonObject } from '../../model/json.ts'
import { whenDropped } from '../../model/stop.ts'
import type { DialectMatchers } from './dialect.ts'
import { foreignText, withoutCredentials } from './foreign-text.ts'
import { answeredInFront, headText, nameOf } from './in-front.ts'
import { explainConnection, networkFailure } from './network-failure.ts'
import { parseJson } from './parse-json.ts'
import { failure, type HttpFailure, type HttpOutcome, type ServiceRequest, stopped } from './reply.ts'
import type { IdentifyItem } from './service-client.ts'
import type { ServiceSettings } from './settings.ts'
import { joinPage, splitPage } from './split-page.ts'
import type { Transport, WireAnswer } from './transport.ts'
import { unconnected } from './watch-reach.ts'
import { basePath, displayBase, type WireRequest } from './wire-request.ts'

/** One try of a request: over what it is sent, what is known of it, what ends it. */
interface Exchange extends Pick<ServiceRequest, 'success' | 'mostItems' | 'identify' | 'limitMs' | 'ahead'> {
  readonly transport: Transport
  readonly settings: ServiceSettings
  readonly matchers: DialectMatchers
  /** Ends the exchange in progress. Without it, the stop signal ends it; with it, only one that gives all up. */
  readonly cut: AbortSignal | undefined
  /** Returns a signal that aborts after so many milliseconds. */
  readonly timeoutAfter: (ms: number) => AbortSignal
  /** Must never appear in a message. */
  readonly key: string
  readonly signal: AbortSignal
  /** Ends the exchange because the host was not reached in time. */
  readonly unreached?: AbortSignal | undefined
  /** Awaited before an answer is read further than its bytes. */
  readonly whenWanted?: () => Promise<void>
}

/** Sends a request once and reads its answer. Never throws: what went wrong is an outcome. */
export async function exchangeOnce(request: WireRequest, exchange: Exchange): Promise<HttpOutcome> {
  const { transport, settings, cut, timeoutAfter, signal, ahead, unreached } = exchange
  const { url, limits } = settings
  const limitMs = Math.min(limits.pageTimeoutMs, exchange.limitMs ?? limits.pageTimeoutMs)
  const timeout = ahead === undefined ? timeoutAfter(limitMs) : limitFrom(ahead.turn, () => timeoutAfter(limitMs))
  const dropped = whenDropped(signal)
  const ends = [cut ?? signal, dropped.signal, ...(ahead === undefined ? [] : [ahead.abandoned])]
  const end = AbortSignal.any(ends)
  try {
    const answer = await transport.send(request, AbortSignal.any([end, timeout, ...(unreached ? [unreached] : [])]))
    return await readAnswer(answer, request, exchange)
  } catch (error) {
    if (end.aborted) return stopped(signal)
    if (unreached?.aborted === true) return unconnected
    if (timeout.aborted) return failure('timeout', `no whole answer within ${limitMs} ms`, { again: 'later' })
    return explainConnection(networkFailure(error, transport.proxyVariable), url, transport)
  } finally {
    dropped.release()
  }
}

/** A time limit that runs from a request's turn on. */
function limitFrom(turn: Promise<void>, start: () => AbortSignal): AbortSignal {
  const limit = new AbortController()
  void turn.then(() => {
    const time = start()
    const end = () => limit.abort(time.reason)
    if (time.aborted) end()
    else time.addEventListener('abort', end, { once: true })
  })
  return limit.signal
}

/**
 * Checks an answer from the outside in: status, type, size, then the JSON itself.
 * Rejects only when the connection breaks while a success is read.
 */
async function readAnswer(answer: WireAnswer, { path }: WireRequest, exchange: Exchange): Promise<HttpOutcome> {
  const { matchers, key } = exchange
  const id = answer.header(matchers.requestIdHeader)
  const requestId = id === undefined ? null : readRequestId(id, key)
  const { status } = answer
  const outcome = await readByStatus(answer, path, exchange)
  return { ...outcome, requestId, status }
}

/** One word, as an id is; the text after it may echo anything. */
function readRequestId(id: string, key: string): string | null {
  return /^[\w.:/+=[\]-]{1,64}$/.test(foreignText(id, key)) ? headText(id, key) : null
}

/** `path`: as requested, with the query, from the root of the host. */
function readByStatus(answer: WireAnswer, path: string, exchange: Exchange): HttpOutcome | Promise<HttpOutcome> {
  const { status } = answer
  if (exchange.success.includes(status)) return readSuccess(answer, exchange)
  if (status < 300) return readOtherSuccess(answer, exchange)
  return status < 400 ? readRedirect(answer, path, exchange) : readError(answer, exchange)
}

/** A larger answer is read item by item or not at all: an object may take fifty times its text in memory. */
const maxWholeBytes = 2 * 1024 * 1024

async function readSuccess(
  answer: WireAnswer,
  { settings, key, mostItems, identify, whenWanted }: Exchange,
): Promise<HttpOutcome> {
  const { maxBodyBytes } = settings.limits
  const mostBytes = {
    bytes: maxBodyBytes,
    hint: mostItems === undefined ? 'allow more' : 'ask for smaller pages, or allow more',
  }
  const refusal = refuseUnread(answer, mostBytes, key)
  if (refusal !== undefined) {
    answer.discard()
    return refusal
  }
  const bytes = await answer.read(maxBodyBytes, lengthOf(answer))
  if (bytes === undefined) return tooLarge(mostBytes)
  if (bytes.length === 0) return emptyBody(answer)
  if (answer.header('content-type') === undefined) return notJson(answer, key)
  await whenWanted?.()
  if (bytes.length <= maxWholeBytes) {
    if (mostItems === undefined || identify === undefined) return readJson(answer.status, bytes)
    return readIdentified(answer.status, bytes, mostItems, identify)
  }
  return mostItems === undefined ? tooLarge({ bytes: maxWholeBytes }) : readLargePage(answer.status, bytes, mostItems)
}

/** `hint`: what a person can do about a larger answer. */
interface Bound {
  readonly bytes: number
  readonly hint?: string
}

/** What the head of a success alone forbids. Without a content type, the body decides. */
function refuseUnread(answer: WireAnswer, mostBytes: Bound, key: string): HttpFailure | undefined {
  const type = answer.header('content-type')
  if (type !== undefined && !isJsonType(type)) return notJson(answer, key)
  const encoding = encodingOf(answer)
  if (encoding !== 'identity') {
    const named = headText(encoding, key)
    return failure('malformed', `${nameOf(answer.status)} compressed (${named}), which was not asked for`)
  }
  return (lengthOf(answer) ?? 0) > mostBytes.bytes ? tooLarge(mostBytes) : undefined
}

function encodingOf(answer: WireAnswer): string {
  return answer.header('content-encoding')?.trim().toLowerCase() || 'identity'
}

function isJsonType(type: string): boolean {
  return /^application\/(json|[\w.!#$&^-]+\+json)\s*(;|$)/i.test(type.trim())
}

function notJson(answer: WireAnswer, key: string): HttpFailure {
  // A service answers paths that it does not know with its dashboard. What is required fails all the same.
  return failure('not_offered', `${describeAnswer(answer, key)} instead of JSON`, { hint: 'check the base path' })
}

function lengthOf(answer: WireAnswer): number | undefined {
  const length = answer.header('content-length')
  return length === undefined ? undefined : Number(length)
}

function tooLarge({ bytes, hint }: Bound): HttpFailure {
  return failure('malformed', `an answer larger than ${bytes} bytes`, hint === undefined ? {} : { hint })
}

function readJson(status: number, bytes: Buffer): HttpOutcome {
  const parsed = parseJson(bytes)
  if (parsed.ok) return { ok: true, value: parsed.value, requestId: null, status }
  return parsed.isCutOff ? cutOff(status) : failure('malformed', `${nameOf(status)}, ${parsed.reason}`)
}

/** Without an announced length, a cut looks like an end. */
function emptyBody(answer: WireAnswer): HttpFailure {
  const again = lengthOf(answer) === undefined ? 'later' : 'never'
  return failure('malformed', `${nameOf(answer.status)} with an empty body`, { again })
}

/** Likewise. */
function cutOff(status: number): HttpFailure {
  return failure('malformed', `${nameOf(status)}, the JSON breaks off`, { again: 'later' })
}

/** Parses only items that are not known by their bytes. What is odd is refused as a whole, in the words for it. */
function readIdentified(status: number, bytes: Buffer, mostItems: number, identify: IdentifyItem): HttpOutcome {
  const page = splitPage(bytes, mostItems)
  if (typeof page !== 'object') return readJson(status, bytes)
  const identities = page.items.map(identify)
  const unknown = page.items.filter((_, at) => identities[at]?.uid === undefined)
  const read = readJson(status, unknown.length === page.items.length ? bytes : joinPage(page, unknown))
  return read.ok ? { ...read, identities } : readJson(status, bytes)
}

function readLargePage(status: number, bytes: Buffer, mostItems: number): HttpOutcome {
  const page = splitPage(bytes, mostItems)
  if (page === 'cut off') return cutOff(status)
  if (page === 'too many') return tooMany(status, mostItems)
  if (page === undefined || page.head.length + page.tail.length > maxWholeBytes) return tooMuchAround(status)
  const read = readJson(status, joinPage(page, []))
  return read.ok ? { ...read, items: page.items } : read
}

function tooMany(status: number, mostItems: number): HttpFailure {
  return failure('malformed', `${nameOf(status)} with more than ${mostItems} items`, { hint: 'ask for smaller pages' })
}

function tooMuchAround(status: number): HttpFailure {
  return failure('malformed', `${nameOf(status)} with more than ${maxWholeBytes} bytes besides its items`)
}

/** 206 is a part of a page, 203 was changed on the way, 202 is a promise: none proves that the rest is absent. */
function readOtherSuccess(answer: WireAnswer, { success }: Exchange): HttpFailure {
  answer.discard()
  return failure('http', `${nameOf(answer.status)} instead of ${success.map(nameOf).join(' or ')}`)
}

/**
 * A redirect: the service itself answers each of its paths. Where it names the same path elsewhere, with the base URL
 * that would have been right.
 */
function readRedirect(answer: WireAnswer, path: string, { settings, key, transport }: Exchange): HttpFailure {
  answer.discard()
  const { status } = answer
  const { origin } = new URL(settings.url)
  const location = answer.header('location')
  const target = location === undefined ? null : URL.parse(location, origin + path)
  const what = `${describeAnswer(answer, key, '')}, ${describeRedirect(target, origin, key)}`
  const base = target === null ? undefined : movedBase(target, path.slice(basePath(settings.url).length))
  return base === undefined || base === displayBase(settings.url)
    ? answeredInFront(status, what, transport.proxyVariable)
    : failure('wrong_url', what, { hint: `set url: ${foreignText(base, key)}` })
}

/** `origin`: of the service. */
function describeRedirect(target: URL | null, origin: string, key: string): string {
  if (target === null || target.host === '') return 'a redirect that was not followed'
  if (target.origin === origin) {
    // The rest of the path differs from request to request.
    const [, first = ''] = target.pathname.split('/', 2)
    return `a redirect to /${headText(first, key)} on the same host that was not followed`
  }
  return `a redirect to ${headText(target.host, key)} that was not followed because it would carry the key away`
}

/** The base URL that would have been right, where a redirect names the same path below it elsewhere. */
function movedBase({ origin, pathname, search, protocol }: URL, below: string): string | undefined {
  const isSame = /^https?:$/.test(protocol) && `${pathname}${search}`.endsWith(below)
  return isSame
    ? withoutCredentials(origin + pathname.slice(0, pathname.length + search.length - below.length))
    : undefined
}

async function readError(answer: WireAnswer, { matchers, key, settings, transport }: Exchange): Promise<HttpFailure> {
  const { status } = answer
  const { url } = settings
  if (status === 400 && url.startsWith('http:') && !isJsonType(answer.header('content-type') ?? '')) {
    return readPlainBadRequest(answer, url)
  }
  const { message, isOwn } = await readMessage(answer, key)
  const what = isOwn ? nameOf(status) : describeAnswer(answer, key)
  const retryAfter = answer.header('retry-after')
  const isTransient = matchers.isTransient(status, message ?? '')
  if (!isOwn && !isTransient && (status >= 500 || inFront.includes(status)))
    return answeredInFront(status, what, transport.proxyVariable, { serviceMessage: message, retryAfter })
  const serviceMessage = isOwn ? message : null
  const answerFacts = { serviceMessage, retryAfter }
  if (isTransient) return failure(status === 429 ? 'rate_limited' : 'http', what, { ...answerFacts, again: 'later' })
  if (status === 401) return failure('refused_key', what, { ...answerFacts, again: 'key', surelyNotRun: true })
  if (status === 429) return failure('rate_limited', what, { ...answerFacts, again: 'later', surelyNotRun: true })
  if (status >= 500 || status === 408) return failure('http', what, { ...answerFacts, again: 'later' })
  if (status === 403) return failure('forbidden', what, { ...answerFacts, hint: 'the key is not allowed to do this' })
  if ((status === 400 || status === 404) && serviceMessage !== null && matchers.isProjectNotFound(serviceMessage)) {
    return failure('not_found', what, { ...answerFacts, hint: 'the project does not exist, or the key may not see it' })
  }
  if (status === 404 || status === 405) {
    return failure('not_offered', what, {
      ...answerFacts,
      hint: 'not offered by this service, or a wrong base path',
    })
  }
  return failure('http', what, answerFacts)
}

/** Below 500, what proxies, logins, firewalls and meshes answer; the service says it in its envelope, if at all. */
const inFront: readonly number[] = [401, 403, 407]

/** `403 forbidden with text/html, server awselb/2.0`. `untyped`: what an answer without a content type is called. */
function describeAnswer(answer: WireAnswer, key: string, untyped = 'no content type'): string {
  const type = headText(answer.header('content-type') ?? '', key) || untyped
  const server = headText(answer.header('server') ?? '', key).slice(0, longestName)
  return `${nameOf(answer.status)}${type && ` with ${type}`}${server && `, server ${server}`}`
}

const longestName = 60

/** Of an error page, more than its first lines. */
const firstLinesBytes = 16 * 1024

/** Web servers answer so where plain http arrives at a port for TLS. */
async function readPlainBadRequest(answer: WireAnswer, url: string): Promise<HttpFailure> {
  const what = nameOf(answer.status)
  const bytes = await answer.read(firstLinesBytes).catch(() => undefined)
  const text = bytes?.toString('latin1') ?? ''
  if (!/HTTP request (?:was sent )?to (?:an )?HTTPS (?:port|server)/i.test(text)) return failure('http', what)
  const base = displayBase(url).replace(/^http:/, 'https:')
  return failure('wrong_url', `${what}, the port speaks TLS`, { hint: `set url: ${base}` })
}

/** Bodies of errors are read only for their message. */
const maxErrorBodyBytes = 64 * 1024

/** What an error says, and whether it has the form of the service's own. */
interface ErrorMessage {
  readonly message: string | null
  readonly isOwn: boolean
}

/**
 * Reads an error. The service's own have an envelope, or at a panic no body though the head announces JSON. Of others, a
 * text and the title of a page are shown. A body that breaks off does not change the status.
 */
async function readMessage(answer: WireAnswer, key: string): Promise<ErrorMessage> {
  const { status } = answer
  const type = answer.header('content-type') ?? ''
  const isJson = isJsonType(type)
  if (!(isJson || /^text\/(html|plain)\b/i.test(type)) || encodingOf(answer) !== 'identity') {
    answer.discard()
    return { message: null, isOwn: false }
  }
  const bytes = await answer.read(maxErrorBodyBytes).catch(() => undefined)
  if (bytes === undefined || (isJson && bytes.length === 0))
    return { message: null, isOwn: isJson && !inFront.includes(status) }
  if (!isJson) return { message: foreignText(textIn(type, bytes), key) || null, isOwn: false }
  const parsed = parseJson(bytes)
  const envelope = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
  if (typeof envelope.message !== 'string') return { message: null, isOwn: false }
  return { message: foreignText(envelope.message, key) || null, isOwn: envelope.status === false }
}

/** Of a page, its title. */
function textIn(type: string, bytes: Buffer): string {
  const text = bytes.subarray(0, firstLinesBytes).toString('utf8')
  if (!/^text\/html/i.test(type)) return text
  return /<title>([^<]{1,200})/i.exec(text)?.[1] ?? ''
}
