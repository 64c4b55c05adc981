import type { CommittedRun } from '../history/reader.ts'
import type { Clock } from '../model/time.ts'

/** Clocks of two machines differ by fractions of a second, and are set right by as much. */
const toleranceMs = 1000

/**
 * What is wrong with the clock, where a run starts before the one before it ended; undefined where nothing is. Runs of a
 * history follow each other, so one of the two times cannot be right.
 */
export function clockFault(startedAt: string, before: CommittedRun | undefined): string | undefined {
  if (before === undefined || Date.parse(startedAt) >= Date.parse(before.finishedAt) - toleranceMs) return undefined
  return (
    `the clock went back: this run started at ${startedAt}, but run ${before.number}, the one before it, finished at ${before.finishedAt}. ` +
    'Check the clock and its synchronisation (NTP) on every machine that writes to this history: ages, deadlines and expiries of this run, or of that one, are wrong'
  )
}

/** A clock that stops while the given one is behind its last time: nothing ends before it began. */
export function steadyClock(clock: Clock): Clock {
  let latest = Number.NEGATIVE_INFINITY
  return {
    now() {
      latest = Math.max(latest, clock.now())
      return latest
    },
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
}
