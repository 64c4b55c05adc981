import type { Clock } from '../../model/time.ts'

/** Closed while a service limits requests: one bucket serves all of it, so one 429 concerns every walk. */
export interface RateGate {
  /** Keeps the gate closed for at least this long from now. */
  holdFor(ms: number): void
  /** Milliseconds until it opens; 0 when open. */
  waitMs(): number
}

export function createRateGate(clock: Clock): RateGate {
  let opensAt = 0
  let latest = 0
  const now = () => {
    const time = clock.now()
    // A clock that was set back does not make the wait longer.
    if (time < latest) opensAt -= latest - time
    latest = time
    return time
  }
  return {
    holdFor(ms) {
      const from = now()
      opensAt = Math.max(opensAt, from + ms)
    },
    waitMs() {
      const from = now()
      return Math.max(0, opensAt - from)
    },
  }
}
