import type { z } from 'zod'
import { AuditError, messageOf } from '../model/errors.ts'
import { networkFailure } from '../service/network-failure.ts'
import type { ProxyVariables } from '../service/proxy-for.ts'
import { createTransport, type WireAnswer } from '../service/transport.ts'
import type { Outcome } from './message.ts'

/** Where a tracker is, and how it knows hookdrift. */
export interface TrackerAddress {
  readonly url: string
  /** One of them has the token. */
  readonly headers: Readonly<Record<string, string>>
  /** What to do about a status, in words that follow it; undefined: nothing is known. */
  readonly adviseOn: (status: number) => string | undefined
}

/** Asks a tracker, and decodes its answer. Rejects with a TrackerRefusal. */
export type AskTracker = <Answer>(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  answer: z.ZodType<Answer>,
  body?: object,
) => Promise<Answer>

/** A tracker did not do what it was asked, or it is not known whether it did. */
export class TrackerRefusal extends Error {
  readonly outcome: Extract<Outcome, { ok: false }>
  readonly status: number | undefined
  /** Whether nothing was carried out. */
  readonly isCertain: boolean

  constructor(outcome: TrackerRefusal['outcome'], isCertain: boolean, status?: number) {
    super(outcome.error)
    this.outcome = outcome
    this.isCertain = isCertain
    this.status = status
  }
}

/** Undefined where a tracker answers with one of the statuses. */
export async function unlessRefused<Answer>(
  asked: Promise<Answer>,
  ...statuses: readonly number[]
): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof TrackerRefusal && statuses.includes(error.status ?? 0)) return undefined
    throw error
  }
}

/** A hundred tickets as long as GitHub takes them. */
const mostBytes = 16 * 1024 * 1024

/** One connection for a message. Redirects are not followed: a token goes to no other address. */
export function connectTracker(
  { url, headers, adviseOn }: TrackerAddress,
  { env, now, signal }: { readonly env: ProxyVariables; readonly now: () => number; readonly signal: AbortSignal },
): { readonly ask: AskTracker; close(): Promise<void> } {
  const limits = { connectTimeoutMs: 10_000, pageTimeoutMs: 10_000 }
  const base = new URL(url).pathname.replace(/\/$/, '')
  const transport = createTransport({ url, ca: undefined, connections: 1, limits }, env)
  return {
    async ask(method, path, schema, body) {
      const { status, header, text } = await exchange(method, base + path, body)
      if (status < 200 || status >= 300) throw refusal(status, header, text)
      const decoded = schema.safeParse(parseJson(text))
      if (decoded.success) return decoded.data
      throw new TrackerRefusal(
        { ok: false, error: 'the answer has not the published form; check the URL' },
        false,
        status,
      )
    },
    close: () => transport.close(),
  }

  async function exchange(method: 'GET' | 'POST' | 'PATCH', path: string, body: object | undefined) {
    try {
      signal.throwIfAborted()
      const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const head = { accept: 'application/json', 'user-agent': 'hookdrift', ...json, ...headers }
      const sent = { method, path, headers: head, body: body === undefined ? null : JSON.stringify(body) }
      const answer = await transport.send(sent, signal)
      const bytes = await answer.read(mostBytes)
      return { status: answer.status, header: answer.header, text: bytes?.toString('utf8') ?? '' }
    } catch (error) {
      if (signal.aborted) throw new TrackerRefusal({ ok: false, error: 'no answer in time' }, false)
      // About the environment's proxy; it does not contain the value.
      if (error instanceof AuditError) throw new TrackerRefusal({ ok: false, error: messageOf(error) }, true)
      const { what, surelyNotRun } = networkFailure(error)
      throw new TrackerRefusal({ ok: false, error: what }, surelyNotRun)
    }
  }

  function refusal(status: number, header: WireAnswer['header'], text: string): TrackerRefusal {
    const isCertain = status >= 300 && status < 500 && status !== 408
    if (isRateLimit(status, header, text)) {
      const waitMs = waitOf(header, now())
      const error = `answered ${status}: it takes no more requests for ${Math.ceil(waitMs / 1000)} s`
      return new TrackerRefusal({ ok: false, error, waitMs }, isCertain, status)
    }
    const advice = adviseOn(status) ?? (status < 400 ? 'redirects are not followed' : undefined)
    const error = `answered ${status}${advice === undefined ? '' : `: ${advice}`}`
    const gone = status === 410 ? { isGone: true as const } : {}
    return new TrackerRefusal({ ok: false, error, ...gone }, isCertain, status)
  }
}

/** GitHub answers 403 too, and says why in a header or in words. */
function isRateLimit(status: number, header: WireAnswer['header'], text: string): boolean {
  if (status === 429 || header('retry-after') !== undefined) return status === 429 || status === 403 || status === 503
  return status === 403 && (header('x-ratelimit-remaining') === '0' || /rate limit/i.test(text.slice(0, 2000)))
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

/** Undefined for what is not JSON: no schema takes that but one of no answer. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
