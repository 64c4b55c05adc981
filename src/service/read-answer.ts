import { isJsonObject } from '../model/json.ts'
import { credentials } from '../secrets/known-secrets.ts'
import type { DialectMatchers } from './dialect-matchers.ts'
import type { WireAnswer } from './exchange.ts'
import { foreignText } from './foreign-text.ts'
import { failure, type HttpFailure, type HttpOutcome } from './http-outcome.ts'
import { nameOf } from './name-status.ts'
import { parseJson } from './parse-json.ts'
import { readPlainBadRequest, readRedirect } from './read-wrong-url.ts'
import { splitPage } from './split-page.ts'

interface ReadContext {
  readonly matchers: DialectMatchers
  readonly maxBodyBytes: number
  /** Must never appear in a message. */
  readonly key: string
  /** Base URL of the service. */
  readonly url: string
  /** As requested, with the query. */
  readonly path: string
  /** The statuses that mean success. */
  readonly success: readonly number[]
  /** The most items that a page may have; undefined if the answer is not a page. */
  readonly mostItems: number | undefined
  /** Called when the body is there; it is parsed once this resolves. */
  whenWanted(): Promise<void>
}

/** Bodies of errors are read only for their message. */
const maxErrorBodyBytes = 64 * 1024
/** A larger answer is read item by item or not at all: an object may take fifty times its text in memory. */
const maxWholeBytes = 2 * 1024 * 1024

/**
 * Checks an answer from the outside in: status, type, size, then the JSON itself (service-behaviour.md 8 to 13).
 * Rejects only when the connection breaks while a success is read.
 */
export async function readAnswer(answer: WireAnswer, reading: ReadContext): Promise<HttpOutcome> {
  const id = answer.header(reading.matchers.requestIdHeader)
  const requestId = id === undefined ? null : readRequestId(id, reading.key)
  const { status } = answer
  const exchange = await readByStatus(answer, reading)
  return { ...exchange, requestId, status }
}

/** One word, as an id is; the text after it may echo anything. */
function readRequestId(id: string, key: string): string | null {
  const shown = foreignText(id, key)
  return /^[\w.:/+=[\]-]{1,64}$/.test(shown) ? shown.replace(credentials, '[credential]') : null
}

function readByStatus(answer: WireAnswer, reading: ReadContext): HttpOutcome | Promise<HttpOutcome> {
  const { status } = answer
  if (reading.success.includes(status)) return readSuccess(answer, reading)
  if (status < 300) return readOtherSuccess(answer, reading)
  return status < 400 ? readRedirect(answer, reading) : readError(answer, reading)
}

/** 206 is a part of a page, 203 was changed on the way, 202 is a promise: none proves that the rest is absent. */
function readOtherSuccess(answer: WireAnswer, { success }: ReadContext): HttpFailure {
  answer.discard()
  return failure('http', `${nameOf(answer.status)} instead of ${success.map(nameOf).join(' or ')}`)
}

async function readSuccess(
  answer: WireAnswer,
  { maxBodyBytes, key, mostItems, whenWanted }: ReadContext,
): Promise<HttpOutcome> {
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
  if (bytes.length === 0) return failure('malformed', `${nameOf(answer.status)} with an empty body`)
  if (answer.header('content-type') === undefined) return notJson(answer.status, undefined, key)
  await whenWanted()
  if (bytes.length <= maxWholeBytes) return readJson(answer.status, bytes)
  return mostItems === undefined ? tooLarge({ bytes: maxWholeBytes }) : readLargePage(answer.status, bytes, mostItems)
}

function readLargePage(status: number, bytes: Buffer, mostItems: number): HttpOutcome {
  const page = splitPage(bytes, mostItems)
  if (page === 'cut off') return cutOff(status)
  if (page === 'too many') return tooMany(status, mostItems)
  if (page === undefined || page.envelope.length > maxWholeBytes) return tooMuchAround(status)
  const read = readJson(status, page.envelope)
  return read.ok ? { ...read, items: page.items } : read
}

function tooMuchAround(status: number): HttpFailure {
  return failure('malformed', `${nameOf(status)} with more than ${maxWholeBytes} bytes besides its items`)
}

function readJson(status: number, bytes: Buffer): HttpOutcome {
  const parsed = parseJson(bytes)
  if (parsed.ok) return { ok: true, value: parsed.value, requestId: null, status }
  return parsed.isCutOff ? cutOff(status) : failure('malformed', `${nameOf(status)}, ${parsed.reason}`)
}

/** Without an announced length, a cut looks like an end. */
function cutOff(status: number): HttpFailure {
  return failure('malformed', `${nameOf(status)}, the JSON breaks off`, { again: 'later' })
}

function tooMany(status: number, mostItems: number): HttpFailure {
  return failure('malformed', `${nameOf(status)} with more than ${mostItems} items`, { hint: 'ask for smaller pages' })
}

function lengthOf(answer: WireAnswer): number | undefined {
  const length = answer.header('content-length')
  return length === undefined ? undefined : Number(length)
}

/** What the head of a success alone forbids. Without a content type, the body decides. */
function refuseUnread(answer: WireAnswer, mostBytes: Bound, key: string): HttpFailure | undefined {
  const type = answer.header('content-type')
  if (type !== undefined && !isJsonType(type)) return notJson(answer.status, type, key)
  const encoding = answer.header('content-encoding')?.trim().toLowerCase() || 'identity'
  if (encoding !== 'identity') {
    const named = foreignText(encoding, key)
    return failure('malformed', `${nameOf(answer.status)} compressed (${named}), which was not asked for`)
  }
  return (lengthOf(answer) ?? 0) > mostBytes.bytes ? tooLarge(mostBytes) : undefined
}

async function readError(answer: WireAnswer, { matchers, key, url }: ReadContext): Promise<HttpFailure> {
  const { status } = answer
  const what = nameOf(status)
  if (status === 400 && url.startsWith('http:') && !isJsonType(answer.header('content-type') ?? '')) {
    return readPlainBadRequest(answer, url)
  }
  const serviceMessage = await readServiceMessage(answer, key)
  const known = { serviceMessage, retryAfter: answer.header('retry-after') }
  if (matchers.isTransient(status, serviceMessage ?? ''))
    return failure(status === 429 ? 'rate_limited' : 'http', what, { ...known, again: 'later' })
  if (status === 401) return failure('refused_key', what, { ...known, again: 'key', surelyNotRun: true })
  if (status === 429) return failure('rate_limited', what, { ...known, again: 'later', surelyNotRun: true })
  if (status >= 500 || status === 408) return failure('http', what, { ...known, again: 'later' })
  if (status === 403) return failure('forbidden', what, { ...known, hint: 'the key is not allowed to do this' })
  if ((status === 400 || status === 404) && serviceMessage !== null && matchers.isProjectNotFound(serviceMessage)) {
    return failure('not_found', what, { ...known, hint: 'the project does not exist, or the key may not see it' })
  }
  if (status === 404 || status === 405) {
    const type = typeName(answer.header('content-type'), key)
    return failure('not_offered', `${what} with ${type}`, {
      ...known,
      hint: 'not offered by this service, or a wrong base path',
    })
  }
  return failure('http', what, known)
}

/** The message of an error's envelope, or null. A body that breaks off does not change the status. */
async function readServiceMessage(answer: WireAnswer, key: string): Promise<string | null> {
  if (!isJsonType(answer.header('content-type') ?? '') || answer.header('content-encoding') !== undefined) {
    answer.discard()
    return null
  }
  const bytes = await answer.read(maxErrorBodyBytes).catch(() => undefined)
  if (bytes === undefined) return null
  const parsed = parseJson(bytes)
  if (!parsed.ok || !isJsonObject(parsed.value) || typeof parsed.value.message !== 'string') return null
  return foreignText(parsed.value.message, key) || null
}

function notJson(status: number, type: string | undefined, key: string): HttpFailure {
  // A service answers paths that it does not know with its dashboard. What is required fails all the same.
  return failure('not_offered', `${nameOf(status)} with ${typeName(type, key)} instead of JSON`, {
    hint: 'check the base path',
  })
}

/** `hint`: what a person can do about a larger answer. */
interface Bound {
  readonly bytes: number
  readonly hint?: string
}

function tooLarge({ bytes, hint }: Bound): HttpFailure {
  return failure('malformed', `an answer larger than ${bytes} bytes`, hint === undefined ? {} : { hint })
}

function isJsonType(type: string): boolean {
  return /^application\/(json|[\w.!#$&^-]+\+json)\s*(;|$)/i.test(type.trim())
}

function typeName(type: string | undefined, key: string): string {
  return (type === undefined ? '' : foreignText(type, key)) || 'no content type'
}
