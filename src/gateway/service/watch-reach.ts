import type { Clock } from '../../model/time.ts'
import { failure, type HttpFailure } from './reply.ts'
import type { Patience } from './settings.ts'

/** How long a host is tried again, over all of its requests. */
const tryWithinMs = 4_000
/** When a try ends that is under way. One try may take as long as the configuration says. */
const endWithinMs = 5_000

/**
 * Whether the host of a service was reached in this run. As long as no connection was ever made, all requests have one
 * short time together: a wrong host is answered soon, however many projects there are. Where patience is long, that is
 * so for a name that does not resolve. From the first connection on, this says nothing more.
 */
export interface ReachWatch {
  /** A request is about to be sent. Returns the signal that ends it while the host is not reached. */
  begin(): AbortSignal | undefined
  /** A connection was made. */
  reached(): void
  /** How a try ended that brought no good answer. Returns why: of a name that does not resolve, all tries say that. */
  ended(failure: HttpFailure): HttpFailure
  /** Why nothing more is tried; undefined as long as something may be. `afterMs`: how long the next try would wait. */
  over(afterMs?: number): HttpFailure | undefined
  /** A request was given up, for a cause that all others have, too. */
  giveUp(): void
}

export function watchReach(
  clock: Clock,
  connectTimeoutMs: number,
  patience: Patience,
  timeoutAfter: (ms: number) => AbortSignal,
): ReachWatch {
  const end = new AbortController()
  let isReached = false
  let isGivenUp = false
  let since: number | undefined
  let limit: AbortSignal | undefined
  let last = unconnected
  const isLimited = () => !isReached && (patience === 'short' || last.kind === 'unknown_host')
  const limitTries = () => {
    if (limit !== undefined || since === undefined || !isLimited()) return
    limit = timeoutAfter(Math.max(endWithinMs, connectTimeoutMs) - (clock.now() - since))
    limit.addEventListener('abort', () => isLimited() && end.abort(unconnected), { once: true })
  }
  return {
    begin() {
      since ??= clock.now()
      limitTries()
      return isReached ? undefined : end.signal
    },
    reached() {
      isReached = true
    },
    ended(failed) {
      if (isConnected(failed)) isReached = true
      // A name server that knows no such host may leave the next question without an answer.
      const isKnown = last.kind === 'unknown_host' && (isGivenUp || failed.kind === 'timeout')
      if (isReached || !isKnown) last = failed
      limitTries()
      return last
    },
    over(afterMs = 0) {
      if (since === undefined || !isLimited()) return undefined
      return isGivenUp || clock.now() + afterMs - since >= tryWithinMs ? last : undefined
    },
    giveUp() {
      isGivenUp = true
      if (last.kind === 'unknown_host' && !isReached) end.abort(unconnected)
    },
  }
}

/** Something answered, also where the answer is an error. */
function isConnected({ kind, surelyNotRun }: HttpFailure): boolean {
  return !surelyNotRun || kind === 'in_front' || kind === 'tls'
}

/** As undici's own time limit says it. */
export const unconnected = failure('timeout', 'no connection in time', { again: 'later', surelyNotRun: true })
