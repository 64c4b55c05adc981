import type { z } from 'zod'
import { AuditError, messageOf } from '../model/errors.ts'
import { networkFailure } from '../service/network-failure.ts'
import type { ProxyVariables } from '../service/proxy-for.ts'
import { createTransport, type Transport, type WireAnswer } from '../service/transport.ts'
import type { Outcome } from './message.ts'

/** Where a tracker is, and how it knows hookdrift. */
export interface TrackerAddress {
  readonly url: string
  /** One of them has the token. */
  readonly headers: Readonly<Record<string, string>>
  /** What to do about a status, in words that follow it. */
  readonly advice: Readonly<Record<number, string>>
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
  /** Whether nothing was carried out. */
  readonly isCertain: boolean
  readonly status: number | undefined

  constructor(outcome: TrackerRefusal['outcome'], isCertain: boolean, status?: number) {
    super(outcome.error)
    this.outcome = outcome
    this.isCertain = isCertain
    this.status = status
  }
}

/** Undefined where a tracker answers with one of the statuses. */
export async function unlessRefused<Answer>(
  answer: Promise<Answer>,
  ...statuses: readonly number[]
): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof TrackerRefusal && statuses.includes(error.status ?? 0)) return undefined
    throw error
  }
}

/** A hundred tickets as long as GitHub takes them. */
const mostBytes = 16 * 1024 * 1024

/** One connection for a message. Redirects are not followed: a token goes to no other address. */
export function connectTracker(
  { url, headers, advice }: TrackerAddress,
  { env, now, signal }: { readonly env: ProxyVariables; readonly now: () => number; readonly signal: AbortSignal },
): { readonly ask: AskTracker; close(): Promise<void> } {
  const limits = { connectTimeoutMs: 10_000, pageTimeoutMs: 10_000 }
  const base = new URL(url).pathname.replace(/\/$/, '')
  let transport: Transport | undefined
  return {
    async ask(method, path, schema, content) {
      const head = {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'hookdrift',
        ...headers,
      }
      const body = content === undefined ? null : JSON.stringify(content)
      try {
        signal.throwIfAborted()
        transport ??= createTransport({ url, ca: undefined, connections: 1, limits }, env)
        const answer = await transport.send({ method, path: base + path, headers: head, body }, signal)
        const text = (await answer.read(mostBytes))?.toString('utf8') ?? ''
        if (answer.status < 200 || answer.status >= 300) throw refusal(answer, text)
        return schema.parse(text === '' ? null : JSON.parse(text))
      } catch (error) {
        if (error instanceof TrackerRefusal) throw error
        if (signal.aborted) throw new TrackerRefusal({ ok: false, error: 'no answer in time' }, false)
        // About the environment's proxy; it does not contain the value.
        if (error instanceof AuditError) throw new TrackerRefusal({ ok: false, error: messageOf(error) }, true)
        const { what, surelyNotRun } = networkFailure(error)
        throw new TrackerRefusal({ ok: false, error: what }, surelyNotRun)
      }
    },
    close: async () => transport?.close(),
  }

  function refusal({ status, header }: WireAnswer, text: string): TrackerRefusal {
    const isCertain = status >= 300 && status < 500 && status !== 408
    // GitHub answers 403 too, and says why in a header or in words.
    const isLimited =
      header('retry-after') !== undefined ||
      header('x-ratelimit-remaining') === '0' ||
      /rate limit/i.test(text.slice(0, 2000))
    if (status === 429 || ([403, 503].includes(status) && isLimited)) {
      const waitMs = waitOf(header, now())
      const error = `answered ${status}: it takes no more requests for ${Math.ceil(waitMs / 1000)} s`
      return new TrackerRefusal({ ok: false, error, waitMs }, isCertain, status)
    }
    const why = advice[status] ?? (status < 400 ? 'redirects are not followed' : undefined)
    const error = `answered ${status}${why === undefined ? '' : `: ${why}`}`
    return new TrackerRefusal(
      status === 410 ? { ok: false, error, isGone: true } : { ok: false, error },
      isCertain,
      status,
    )
  }
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
