import { whenDropped } from '../model/stop.ts'
import type { DialectMatchers } from './dialect-matchers.ts'
import { explainConnection } from './explain-connection.ts'
import { failure, type HttpOutcome } from './http-outcome.ts'
import { networkFailure } from './network-failure.ts'
import { readAnswer } from './read-answer.ts'
import type { ServiceRequest } from './reply.ts'
import type { ServiceSettings } from './settings.ts'
import { stopped } from './stopped.ts'
import type { Transport, WireRequest } from './transport.ts'
import { unconnected } from './watch-reach.ts'

interface ExchangeContext extends Pick<ServiceRequest, 'success' | 'mostItems' | 'limitMs' | 'ahead'> {
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
export async function exchangeOnce(request: WireRequest, context: ExchangeContext): Promise<HttpOutcome> {
  const { transport, settings, matchers, cut, timeoutAfter, key, signal } = context
  const { success, mostItems, ahead, unreached, whenWanted = atOnce } = context
  const { url, limits } = settings
  const limitMs = Math.min(limits.pageTimeoutMs, context.limitMs ?? limits.pageTimeoutMs)
  const timeout = ahead === undefined ? timeoutAfter(limitMs) : limitFrom(ahead.turn, () => timeoutAfter(limitMs))
  const dropped = whenDropped(signal)
  const ends = [cut ?? signal, dropped.signal, ...(ahead === undefined ? [] : [ahead.abandoned])]
  const end = AbortSignal.any(ends)
  try {
    const answer = await transport.send(request, AbortSignal.any([end, timeout, ...(unreached ? [unreached] : [])]))
    const { maxBodyBytes } = limits
    return await readAnswer(answer, {
      matchers,
      maxBodyBytes,
      key,
      url,
      path: request.path,
      success,
      mostItems,
      whenWanted,
    })
  } catch (error) {
    if (end.aborted) return stopped(signal)
    if (unreached?.aborted === true) return unconnected
    if (timeout.aborted) return failure('timeout', `no whole answer within ${limitMs} ms`, { again: 'later' })
    return explainConnection(networkFailure(error), url, transport.inspect)
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

async function atOnce(): Promise<void> {}
