import type { Clock } from '../model/clock.ts'
import { backoffMs, refusedKeyBackoffMs } from './backoff.ts'
import type { DialectMatchers } from './dialect-matchers.ts'
import { failure, type HttpFailure, type HttpOutcome, type HttpSuccess } from './http-outcome.ts'
import { networkFailure } from './network-failure.ts'
import { createRateGate } from './rate-gate.ts'
import { readAnswer } from './read-answer.ts'
import { retryAfterMs } from './retry-after.ts'
import type { ProjectAccess } from './service-client.ts'
import type { ServiceSettings } from './settings.ts'
import { stopped } from './stopped.ts'
import type { Transport, WireRequest } from './transport.ts'

/** Sends a request until it is answered, finally refused, or out of tries or time. Never throws. */
export type SendRequest = (question: ServiceRequest, access: ProjectAccess) => Promise<Reply>

export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  /** Below the dialect's path prefix, segments encoded. */
  readonly path: string
  readonly query: URLSearchParams
  /** JSON text; null for none. */
  readonly body: string | null
  /** The statuses that mean success. */
  readonly success: readonly number[]
  /** The most items that a page may have; undefined if the answer is not a page. */
  readonly mostItems?: number
  /** For the whole answer of one try, where the limit of a page is too long. */
  readonly limitMs?: number
}

export type Reply = HttpSuccess | (HttpFailure & { readonly tries: number; readonly isBudgetSpent: boolean })

interface SenderDependencies {
  readonly settings: ServiceSettings
  readonly matchers: DialectMatchers
  readonly transport: Transport
  readonly clock: Clock
  readonly random: () => number
  readonly cut: AbortSignal | undefined
  /** Returns a signal that aborts after so many milliseconds. */
  readonly timeoutAfter: (ms: number) => AbortSignal
}

/** Creates a sender. All requests to one service share its rate limit and the keys that it has accepted. */
export function createSender({
  settings,
  matchers,
  transport,
  clock,
  random,
  cut,
  timeoutAfter,
}: SenderDependencies): SendRequest {
  const { limits, dialect } = settings
  const gate = createRateGate(clock)
  const acceptedKeys = new Set<string>()

  return async function ask(question, access) {
    if (!isHeaderValue(access.key))
      return given(failure('refused_key', 'the key has characters that a header cannot carry'), 0)
    const request = toWireRequest(question, access.key, settings)
    let refusals = 0
    let delayMs = 0
    for (let tries = 1; ; tries++) {
      await pause(delayMs, access)
      if (access.signal.aborted) return given(stopped(access.signal), 0)
      access.traffic.requests++
      if (tries > 1) access.traffic.retries++
      const startedAt = clock.now()
      const limitMs = Math.min(limits.pageTimeoutMs, question.limitMs ?? limits.pageTimeoutMs)
      const exchange = await exchangeOnce(request, { ...question, limitMs }, access)
      if (exchange.ok) {
        acceptedKeys.add(access.key)
        return exchange
      }
      if (access.signal.aborted) return given(stopped(access.signal), 0)
      if (exchange.again === 'key') refusals++
      delayMs = delayAfter(exchange, tries, refusals)
      if (exchange.status === 429) gate.holdFor(Math.min(delayMs, limits.retryBudgetMs))
      const mayAskAgain =
        exchange.again !== 'never' &&
        (question.method === 'GET' || exchange.surelyNotRun) &&
        tries <= limits.retries &&
        refusals <= dialect.refusedKeyRetries
      if (!mayAskAgain) return given(explained(exchange, access.key), tries)
      access.traffic.waitedMs += clock.now() - startedAt
      if (budgetLeftMs(access) <= 0) return { ...given(explained(exchange, access.key), tries), isBudgetSpent: true }
    }
  }

  async function exchangeOnce(
    request: WireRequest,
    { limitMs, success, mostItems }: Pick<ServiceRequest, 'success' | 'mostItems'> & { readonly limitMs: number },
    { key, signal }: ProjectAccess,
  ): Promise<HttpOutcome> {
    const timeout = timeoutAfter(limitMs)
    const end = cut ?? signal
    try {
      const answer = await transport.send(request, AbortSignal.any([end, timeout]))
      const { maxBodyBytes } = limits
      return await readAnswer(answer, { matchers, maxBodyBytes, key, url: settings.url, success, mostItems })
    } catch (error) {
      if (end.aborted) return stopped(signal)
      if (timeout.aborted) return failure('timeout', `no whole answer within ${limitMs} ms`, { again: 'later' })
      return networkFailure(error)
    }
  }

  /** Waits for the delay and the gate within the project's budget; at its end the service gets one last request. */
  async function pause(delayMs: number, { signal, traffic }: ProjectAccess): Promise<void> {
    let wantedMs = delayMs
    while (!signal.aborted) {
      const waitMs = Math.min(Math.max(wantedMs, gate.waitMs()), limits.retryBudgetMs - traffic.waitedMs)
      if (waitMs <= 0) return
      // Counted before the sleep, so that walks that sleep at the same time don't spend the same budget twice.
      traffic.waitedMs += waitMs
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

  function budgetLeftMs({ traffic }: ProjectAccess): number {
    return limits.retryBudgetMs - traffic.waitedMs
  }

  function explained(exchange: HttpFailure, key: string): HttpFailure {
    if (exchange.again !== 'key') return exchange
    const hint = acceptedKeys.has(key)
      ? "the same key was accepted before, so the service's database is probably down; if not, the key has expired or was revoked"
      : "the key is wrong, expired or revoked, or the service's database is down"
    return { ...exchange, hint }
  }
}

function toWireRequest(
  { method, path, query, body }: ServiceRequest,
  key: string,
  { url, dialect }: ServiceSettings,
): WireRequest {
  const search = query.size === 0 ? '' : `?${query}`
  return {
    method,
    path: new URL(url).pathname.replace(/\/+$/, '') + dialect.pathPrefix + path + search,
    headers: {
      ...dialect.headers,
      // A GET with it would be answered 415.
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      [dialect.keyHeader.toLowerCase()]: dialect.keyScheme === '' ? key : `${dialect.keyScheme} ${key}`,
    },
    body,
  }
}

async function sleepUnlessStopped(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function isHeaderValue(key: string): boolean {
  return /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(key)
}

function given(exchange: HttpFailure, tries: number): HttpFailure & { tries: number; isBudgetSpent: boolean } {
  return { ...exchange, tries, isBudgetSpent: false }
}
