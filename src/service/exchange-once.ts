import type { DialectMatchers } from './dialect-matchers.ts'
import { explainConnection } from './explain-connection.ts'
import { failure, type HttpOutcome } from './http-outcome.ts'
import { networkFailure } from './network-failure.ts'
import { readAnswer } from './read-answer.ts'
import type { ServiceRequest } from './reply.ts'
import type { ServiceSettings } from './settings.ts'
import { stopped } from './stopped.ts'
import type { Transport, WireRequest } from './transport.ts'

interface ExchangeContext extends Pick<ServiceRequest, 'success' | 'mostItems' | 'recognise' | 'limitMs'> {
  readonly transport: Transport
  readonly settings: ServiceSettings
  readonly matchers: DialectMatchers
  /** Ends the exchange in progress. Without it, the stop signal ends it. */
  readonly cut: AbortSignal | undefined
  /** Returns a signal that aborts after so many milliseconds. */
  readonly timeoutAfter: (ms: number) => AbortSignal
  /** Must never appear in a message. */
  readonly key: string
  readonly signal: AbortSignal
}

/** Sends a request once and reads its answer. Never throws: what went wrong is an outcome. */
export async function exchangeOnce(request: WireRequest, context: ExchangeContext): Promise<HttpOutcome> {
  const { transport, settings, matchers, cut, timeoutAfter, key, signal } = context
  const { success, mostItems, recognise } = context
  const { url, limits } = settings
  const limitMs = Math.min(limits.pageTimeoutMs, context.limitMs ?? limits.pageTimeoutMs)
  const timeout = timeoutAfter(limitMs)
  const end = cut ?? signal
  try {
    const answer = await transport.send(request, AbortSignal.any([end, timeout]))
    const { maxBodyBytes } = limits
    return await readAnswer(answer, {
      ...{ matchers, maxBodyBytes, key, url, path: request.path },
      ...{ success, mostItems, recognise },
    })
  } catch (error) {
    if (end.aborted) return stopped(signal)
    if (timeout.aborted) return failure('timeout', `no whole answer within ${limitMs} ms`, { again: 'later' })
    return explainConnection(networkFailure(error), { url, inspect: transport.inspect })
  }
}
