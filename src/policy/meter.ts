import type { Meter } from '../rules/engine/rule.ts'

/**
 * Time limit of all custom rules of a run together. A million resources and a dozen rules take about a quarter of it.
 */
const limitMs = 60_000

/** `clock`: milliseconds; only differences count. */
export function startMeter(clock: () => number): Meter {
  let usedMs = 0
  let since: number | undefined
  return {
    begin() {
      since = clock()
    },
    end() {
      if (since !== undefined) usedMs += clock() - since
      since = undefined
    },
    isSpent: () => usedMs + (since === undefined ? 0 : clock() - since) > limitMs,
  }
}
