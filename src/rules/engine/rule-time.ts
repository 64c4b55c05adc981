/**
 * The time of a run, as rules about one resource ask for it. It notes until when its answers hold, so that what was
 * evaluated need not be evaluated again before then. Instants are milliseconds since the epoch; NaN is never reached.
 */
export interface RuleTime {
  /** Start of the run. Who reads it may change its mind with every run. */
  readonly now: number
  /** Whether the run began at an instant or later. */
  reached(instant: number): boolean
  /** Whether the run began later than an instant. */
  passed(instant: number): boolean
  /**
   * The first instant at which one of the answers since the last call would differ: infinity where none would, minus
   * infinity where `now` was read.
   */
  takeNextChange(): number
}

export function ruleTime(now: number): RuleTime {
  let next = Number.POSITIVE_INFINITY
  const note = (instant: number) => {
    if (instant < next) next = instant
  }
  return {
    get now() {
      next = Number.NEGATIVE_INFINITY
      return now
    },
    reached(instant) {
      if (now >= instant) return true
      note(instant)
      return false
    },
    passed(instant) {
      if (now > instant) return true
      note(Math.floor(instant) + 1)
      return false
    },
    takeNextChange() {
      const taken = next
      next = Number.POSITIVE_INFINITY
      return taken
    },
  }
}
