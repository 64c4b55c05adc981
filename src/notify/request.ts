import { networkFailure } from '../gateway/service/network-failure.ts'
import type { ProxyVariables } from '../gateway/service/proxy-for.ts'
import { createTransport, type WireAnswer } from '../gateway/service/transport.ts'
import { AuditError, messageOf } from '../model/errors.ts'
import { accepted, type Outcome } from './message.ts'

/** A receiver did not do what it was asked, or it is not known whether it did. */
export class ReceiverRefusal extends Error {
  readonly outcome: Extract<Outcome, { ok: false }>
  /** Whether nothing was carried out. */
  readonly isCertain: boolean
  readonly status: number | undefined

  constructor(outcome: ReceiverRefusal['outcome'], isCertain: boolean, status?: number) {
    super(outcome.error)
    this.outcome = outcome
    this.isCertain = isCertain
    this.status = status
  }
}

interface ReceiverRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** May be a secret. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** What to do about a status, in words that follow it. */
  readonly advice?: Readonly<Record<number, string>>
}

/** What a request to a receiver needs from outside. */
export interface Exchange {
  readonly env: ProxyVariables
  readonly signal: AbortSignal
  /** Milliseconds since the epoch; without it, no time of an answer is believed. */
  readonly now?: () => number
}

/** Posts JSON. Any 2xx accepts the message, and only the head of an answer is read. */
export async function post(
  request: Omit<ReceiverRequest, 'method'>,
  env: ProxyVariables,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    await exchange({ method: 'POST', ...request }, 0, () => {}, { env, signal })
    return accepted
  } catch (error) {
    if (error instanceof ReceiverRefusal) return error.outcome
    throw error
  }
}

/**
 * Sends a request, and reads at most so many bytes of an answer. Redirects are not followed: a token goes to no other
 * address. Rejects with a ReceiverRefusal, also where `read` throws.
 */
export async function exchange<Answer>(
  { method, url, headers, body, advice = {} }: ReceiverRequest,
  mostBytes: number,
  read: (text: string) => Answer,
  { env, signal, now = () => Number.NaN }: Exchange,
): Promise<Answer> {
  const { pathname, search } = new URL(url)
  const head = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'hookdrift', ...headers }
  // The signal limits the whole exchange.
  const limits = { connectTimeoutMs: 10_000, pageTimeoutMs: 10_000 }
  try {
    signal.throwIfAborted()
    const transport = createTransport({ url, ca: undefined, connections: 1, limits }, env)
    try {
      const answer = await transport.send({ method, path: pathname + search, headers: head, body }, signal)
      if (mostBytes === 0) answer.discard()
      const text = mostBytes === 0 ? '' : ((await answer.read(mostBytes))?.toString('utf8') ?? '')
      if (answer.status < 200 || answer.status >= 300)
        throw refusalOf(answer, text, { advice, isMessage: body !== null, now: now() })
      return readAnswer(answer.status, text, read)
    } finally {
      await transport.close()
    }
  } catch (error) {
    if (error instanceof ReceiverRefusal) throw error
    if (signal.aborted) throw new ReceiverRefusal({ ok: false, error: 'no answer in time' }, false)
    // About the environment's proxy; it does not contain the value.
    if (error instanceof AuditError) throw new ReceiverRefusal({ ok: false, error: messageOf(error) }, true)
    const { what, surelyNotRun } = networkFailure(error)
    throw new ReceiverRefusal({ ok: false, error: what }, surelyNotRun)
  }
}

/** A login page in front of a tracker answers 200, too. */
function readAnswer<Answer>(status: number, text: string, read: (text: string) => Answer): Answer {
  try {
    return read(text)
  } catch {
    const error = `answered ${status}, and not in the form of its API: check its address, and what is in front of it`
    throw new ReceiverRefusal({ ok: false, error }, false)
  }
}

function refusalOf(
  { status, header }: WireAnswer,
  text: string,
  {
    advice,
    isMessage,
    now,
  }: { readonly isMessage: boolean; readonly now: number } & Required<Pick<ReceiverRequest, 'advice'>>,
): ReceiverRefusal {
  const isCertain = status >= 300 && status < 500 && status !== 408
  // GitHub answers 403 too, and says why in a header or in words.
  const isLimited =
    header('retry-after') !== undefined ||
    header('x-ratelimit-remaining') === '0' ||
    /rate limit/i.test(text.slice(0, 2000))
  if (status === 429 || ([403, 503].includes(status) && isLimited)) {
    const waitMs = waitOf(header, now)
    const error = `answered ${status}: it takes no more requests for ${Math.ceil(waitMs / 1000)} s`
    return new ReceiverRefusal({ ok: false, error, waitMs }, isCertain, status)
  }
  const usual = status === 410 ? 'it is gone' : status < 400 ? 'redirects are not followed' : undefined
  const why = advice[status] ?? usual
  const error = `answered ${status}${why === undefined ? '' : `: ${why}`}`
  const isGone = status === 410 || undefined
  const isAboutMessage = (isMessage && [400, 413, 415, 422].includes(status)) || undefined
  return new ReceiverRefusal({ ok: false, error, isGone, isAboutMessage }, isCertain, status)
}

const leastWaitMs = 1_000
/** GitHub asks for a minute where it says nothing. */
const usualWaitMs = 60_000
/** A limit is one of an hour. */
const mostWaitMs = 2 * 3_600_000

function waitOf(header: WireAnswer['header'], now: number): number {
  const after = Number(header('retry-after') ?? Number.NaN) * 1000
  const untilReset = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000 - now
  const wait = [after, untilReset].find((ms) => !Number.isNaN(ms)) ?? usualWaitMs
  return Math.min(mostWaitMs, Math.max(leastWaitMs, wait))
}
