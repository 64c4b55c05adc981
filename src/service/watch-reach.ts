import type { Clock } from '../model/time.ts'
import { failure, type HttpFailure } from './reply.ts'

/** How long a one-shot command tries again to reach a host, over all of its requests. */
const tryWithinMs = 4_000
/** When a try ends that is under way. One try may take as long as the configuration says. */
const endWithinMs = 5_000

/**
 * Whether the host of a service was reached in this run. As long as no connection was ever made, all requests have one
 * short time together: a wrong host is answered soon, however many projects there are. From the first connection on,
 * this says nothing more.
 */
export interface ReachWatch {
  /** A request is about to be sent. Returns the signal that ends it while the host is not reached. */
  begin(): AbortSignal
  /** A connection was made. */
  reached(): void
  /** How a try ended that brought no good answer. */
  ended(failure: HttpFailure): void
  /** Why nothing more is tried; undefined as long as something may be. `afterMs`: how long the next try would wait. */
  over(afterMs?: number): HttpFailure | undefined
  /** A request was given up because another try would come too late: so would those of all others. */
  giveUp(): void
}

export function watchReach(
  clock: Clock,
  connectTimeoutMs: number,
  timeoutAfter: (ms: number) => AbortSignal,
): ReachWatch {
  const end = new AbortController()
  let isReached = false
  let isGivenUp = false
  let since: number | undefined
  let last = unconnected
  return {
    begin() {
      if (since === undefined) {
        since = clock.now()
        const limit = timeoutAfter(Math.max(endWithinMs, connectTimeoutMs))
        limit.addEventListener('abort', () => !isReached && end.abort(unconnected), { once: true })
      }
      return end.signal
    },
    reached() {
      isReached = true
    },
    ended(failed) {
      if (isConnected(failed)) isReached = true
      last = failed
    },
    over(afterMs = 0) {
      if (isReached || since === undefined) return undefined
      return isGivenUp || clock.now() + afterMs - since >= tryWithinMs ? last : undefined
    },
    giveUp() {
      isGivenUp = true
    },
  }
}

/** Something answered, also where the answer is an error. */
function isConnected({ kind, surelyNotRun }: HttpFailure): boolean {
  return !surelyNotRun || kind === 'http' || kind === 'tls'
}

/** As undici's own time limit says it. */
export const unconnected = failure('timeout', 'no connection in time', { again: 'later', surelyNotRun: true })
