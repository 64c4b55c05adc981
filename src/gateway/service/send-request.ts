import type { Clock } from '../../model/time.ts'
import type { DialectMatchers } from './dialect.ts'
import { exchangeOnce } from './exchange-once.ts'
import type { RateGate } from './rate-gate.ts'
import {
  type FailedReply,
  failure,
  type HttpFailure,
  type HttpOutcome,
  type Reply,
  type RequestSent,
  type ServiceRequest,
  stopped,
} from './reply.ts'
import type { ProjectAccess } from './service-client.ts'
import type { Patience, ServiceSettings } from './settings.ts'
import type { Transport } from './transport.ts'
import type { ReachWatch } from './watch-reach.ts'
import { displayQuery, displayUrl, toWireRequest } from './wire-request.ts'

/** Sends a request until it is answered, finally refused, or out of tries or time. Never throws. */
export type SendRequest = (question: ServiceRequest, access: ProjectAccess) => Promise<Reply>

interface SenderDependencies {
  readonly settings: ServiceSettings
  readonly matchers: DialectMatchers
  readonly transport: Transport
  readonly clock: Clock
  readonly random: () => number
  readonly cut: AbortSignal | undefined
  readonly gate: RateGate
  /** Returns a signal that aborts after so many milliseconds. */
  readonly timeoutAfter: (ms: number) => AbortSignal
  readonly patience: Patience
  /** Whether the host was ever reached; undefined where each request is tried once. */
  readonly reach: ReachWatch | undefined
  readonly onRequest: (request: RequestSent) => void
}

/** Creates a sender. All requests to one service share its rate limit and what it has said of their keys. */
export function createSender({
  settings,
  matchers,
  transport,
  clock,
  random,
  cut,
  gate,
  timeoutAfter,
  patience,
  reach,
  onRequest,
}: SenderDependencies): SendRequest {
  const { limits, dialect } = settings
  const keys = createKeyVerdicts()
  const base = displayUrl({ path: '' }, settings)

  return async function ask(question, access) {
    const url = base + question.path
    const given = (exchange: HttpFailure, tries: number, isBudgetSpent = false): FailedReply => {
      return { ...explained(exchange, access), url, tries, isBudgetSpent }
    }
    if (!isHeaderValue(access.key))
      return given(failure('refused_key', 'the key has characters that a header cannot carry'), 0)
    const answered = patience === 'short' ? await keys.goAhead(access.key) : () => {}
    const refusal = keys.refusalOf(access.key)
    if (patience === 'short' && refusal !== undefined) return refusal
    const mostRefusals = triesOfRefused(access.key)
    const { ahead } = question
    // Nothing is waited for before the answer is wanted.
    let wantedAt = 0
    const isOver = () => access.signal.aborted || ahead?.abandoned.aborted === true
    void ahead?.turn.then(() => {
      wantedAt = clock.now()
    })
    const request = toWireRequest(question, access.key, settings)
    let refusals = 0
    let delayMs = 0
    for (let tries = 1; ; tries++) {
      if (delayMs > 0 || gate.waitMs() > 0) await ahead?.turn
      if (!isOver()) await pause(delayMs, access)
      if (isOver()) {
        answered()
        return given(stopped(access.signal), 0)
      }
      const unreachable = reach?.over()
      if (unreachable !== undefined) {
        answered()
        return given(unreachable, 0)
      }
      access.traffic.requests++
      if (tries > 1) access.traffic.retries++
      const startedAt = clock.now()
      let answeredAt: number | undefined
      const whenWanted = async () => {
        answeredAt = clock.now()
        await ahead?.turn
        ahead?.abandoned.throwIfAborted()
      }
      const answer = await exchangeOnce(request, {
        ...question,
        transport,
        settings,
        matchers,
        cut,
        timeoutAfter,
        key: access.key,
        signal: access.signal,
        whenWanted,
        unreached: reach?.begin(),
      })
      const exchange = answer.ok ? answer : (reach?.ended(answer) ?? answer)
      const endedAt = clock.now()
      const seen = (nextTryMs: number | null) =>
        onRequest(describeSent(question, access.key, exchange, nextTryMs, (answeredAt ?? endedAt) - startedAt))
      if (exchange.ok) {
        reach?.reached()
        keys.accept(access.key)
        if (access.acceptance !== undefined) access.acceptance.isAccepted = true
        answered()
        seen(null)
        return { ...exchange, url }
      }
      if (exchange.again === 'key') refusals++
      delayMs = delayAfter(exchange, tries, refusals)
      if (exchange.status === 429) gate.holdFor(Math.min(delayMs, limits.retryBudgetMs))
      await ahead?.turn
      const mayAskAgain =
        !isOver() &&
        exchange.again !== 'never' &&
        (exchange.again !== 'lasting' || patience === 'long') &&
        (question.method === 'GET' || exchange.surelyNotRun) &&
        tries <= limits.retries &&
        refusals <= mostRefusals
      // A clock that was set back meanwhile gives no time back.
      if (mayAskAgain) access.budget.waitedMs += Math.max(0, clock.now() - Math.max(startedAt, wantedAt))
      const isUnreached = mayAskAgain && reach?.over(delayMs) !== undefined
      if (isUnreached) reach?.giveUp()
      const isBudgetSpent = mayAskAgain && (isUnreached || remainingBudgetMs(access) <= 0)
      const isLast = !mayAskAgain || isBudgetSpent
      if (isLast && exchange.kind === 'unknown_host') reach?.giveUp()
      seen(isLast ? null : delayMs)
      const reply = access.signal.aborted ? given(stopped(access.signal), 0) : given(exchange, tries, isBudgetSpent)
      if (isLast && reply.again === 'key') keys.refuse(access.key, reply)
      answered()
      if (isLast) return reply
    }
  }

  /** How often a 401 is tried again. A key that was refused for good is asked with once more, if at all. */
  function triesOfRefused(key: string): number {
    const isTrusted = patience === 'long' ? keys.refusalOf(key) === undefined : keys.isAccepted(key)
    return isTrusted ? dialect.refusedKeyRetries : 0
  }

  function describeSent(
    question: ServiceRequest,
    key: string,
    exchange: HttpOutcome,
    nextTryMs: number | null,
    durationMs: number,
  ): RequestSent {
    return {
      method: question.method,
      url: base + question.path + displayQuery(question, key),
      status: exchange.status,
      fault: exchange.ok ? null : exchange.what,
      durationMs: Math.round(durationMs),
      nextTryMs,
    }
  }

  /** Waits for the delay and the gate within the project's budget; at its end the service gets one last request. */
  async function pause(delayMs: number, { signal, budget }: ProjectAccess): Promise<void> {
    let wantedMs = delayMs
    while (!signal.aborted) {
      const waitMs = Math.min(Math.max(wantedMs, gate.waitMs()), limits.retryBudgetMs - budget.waitedMs)
      if (waitMs <= 0) return
      // Counted before the sleep, so that walks that sleep at the same time don't spend the same budget twice.
      budget.waitedMs += waitMs
      await sleepUnlessStopped(clock, waitMs, signal)
      wantedMs = 0
    }
  }

  function delayAfter(exchange: HttpFailure, tries: number, refusals: number): number {
    if (exchange.again === 'key') return refusedKeyBackoffMs(refusals, random)
    // A time in the past (clocks differ) must not lead to retries without a pause.
    return Math.max(
      retryAfterMs(exchange.retryAfter, clock.now(), dialect.retryAfterIsTimeAbove) ?? 0,
      backoffMs(tries, random),
    )
  }

  function remainingBudgetMs({ budget }: ProjectAccess): number {
    return limits.retryBudgetMs - budget.waitedMs
  }

  function explained(exchange: HttpFailure, { acceptance }: ProjectAccess): HttpFailure {
    if (exchange.again !== 'key') return exchange
    const hint = acceptance?.isAccepted
      ? "the same key was accepted before, so the service's database is probably down; if not, the key has expired or was revoked"
      : "the key is wrong, expired or revoked, or the service's database is down"
    return { ...exchange, hint }
  }
}

/** What a service has said of the keys of a run. */
interface KeyVerdicts {
  isAccepted(key: string): boolean
  accept(key: string): void
  /** How the key was refused in the end; undefined as long as it was not. */
  refusalOf(key: string): FailedReply | undefined
  refuse(key: string, reply: FailedReply): void
  /**
   * Lets the first request with a key go ahead alone: if the key is refused, no other needs to be sent. Resolves with
   * a function to call when the first answer is there; for later requests it does nothing.
   */
  goAhead(key: string): Promise<() => void>
}

function createKeyVerdicts(): KeyVerdicts {
  const accepted = new Set<string>()
  const refused = new Map<string, FailedReply>()
  const firstAnswers = new Map<string, Promise<void>>()
  return {
    isAccepted: (key) => accepted.has(key),
    accept(key) {
      accepted.add(key)
      refused.delete(key)
    },
    refusalOf: (key) => refused.get(key),
    refuse: (key, reply) => void refused.set(key, reply),
    async goAhead(key) {
      const first = firstAnswers.get(key)
      if (first === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>()
        firstAnswers.set(key, promise)
        return resolve
      }
      await first
      return () => {}
    },
  }
}

function isHeaderValue(key: string): boolean {
  return /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(key)
}

async function sleepUnlessStopped(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * The wait before try `n + 1` of a request, in milliseconds: random, up to 250 ms · 2ⁿ⁻¹ and at most 10 s. The
 * randomness keeps walks that failed together from returning together.
 */
function backoffMs(failures: number, random: () => number): number {
  return random() * doubled(250, failures)
}

/** The same for a refused key, never short: three tries must cover the seconds that a database needs to restart. */
function refusedKeyBackoffMs(failures: number, random: () => number): number {
  return (0.5 + random() / 2) * doubled(1_000, failures)
}

function doubled(baseMs: number, failures: number): number {
  return Math.min(10_000, baseMs * 2 ** (failures - 1))
}

/**
 * The wait that a Retry-After asks for, in milliseconds from `now` (milliseconds since the epoch); undefined when it is
 * absent or unreadable. Seconds and HTTP dates are the standard; releases up to v26.7.2 send the time itself in seconds
 * since 1970. Never negative, not capped.
 */
function retryAfterMs(header: string | undefined, now: number, isTimeAbove: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) {
    const seconds = Number(text)
    return Math.max(0, seconds > isTimeAbove ? seconds * 1000 - now : seconds * 1000)
  }
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined
  // The oldest of the three forms (`Sun Nov  6 08:49:37 1994`) names no zone and means GMT.
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : Math.max(0, time - now)
}
