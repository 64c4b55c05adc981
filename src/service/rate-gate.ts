import type { Clock } from '../model/time.ts'

/** Closed while a service limits requests: one bucket serves all of it, so one 429 concerns every walk. */
export interface RateGate {
  /** Keeps the gate closed for at least this long from now. */
  holdFor(ms: number): void
  /** Milliseconds until it opens; 0 when open. */
  waitMs(): number
}

export function createRateGate(clock: Clock): RateGate {
  let opensAt = 0
  return {
    holdFor(ms) {
      opensAt = Math.max(opensAt, clock.now() + ms)
    },
    waitMs: () => Math.max(0, opensAt - clock.now()),
  }
}
