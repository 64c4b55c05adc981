import type { Meter } from '../../rules/engine/rule.ts'

/** Limit of macro rounds of one expression for one resource; `re` counts one for each thousand characters. */
const maxSteps = 50_000
const stepsPerScan = 512

/**
 * The state of an evaluation. Functions and fields of the language write into it, because `||` or a macro can swallow
 * an error within an expression, but not this state.
 */
export class Evaluation {
  #time: { readonly now: number } = { now: 0 }
  #steps = 0
  #meter: Meter | undefined
  #isStopped: string | undefined
  #hasReadUnshown = false

  /** Returns `undefined` where the expression read a value that the service does not show. @throws Error */
  run<T>(meter: Meter, time: { readonly now: number }, evaluate: () => T): T | undefined {
    this.#time = time
    this.#meter = meter
    this.#steps = 0
    this.#isStopped = undefined
    this.#hasReadUnshown = false
    if (meter.isSpent()) throw new Error(outOfTime)
    meter.begin()
    try {
      const value = evaluate()
      this.#refuseStopped()
      return this.#hasReadUnshown ? undefined : value
    } catch (error) {
      this.#refuseStopped()
      if (this.#hasReadUnshown) return undefined
      throw error
    } finally {
      meter.end()
    }
  }

  /** Milliseconds since the epoch. Read only when an expression needs it, because a replay records that. */
  get now(): number {
    return this.#time.now
  }

  get steps(): number {
    return this.#steps
  }

  /** The value is unknown, so the expression has no result. */
  readUnshown(): void {
    this.#hasReadUnshown = true
  }

  /** Takes steps; returns whether the evaluation has to end. */
  isSpent(steps = 1): boolean {
    if (this.#isStopped !== undefined) return true
    const before = this.#steps
    this.#steps += steps
    if (this.#steps > maxSteps) this.#isStopped = `takes more than ${maxSteps} steps for one resource, the limit`
    else if (Math.floor(before / stepsPerScan) !== Math.floor(this.#steps / stepsPerScan) && this.#meter?.isSpent()) {
      this.#isStopped = outOfTime
    }
    return this.#isStopped !== undefined
  }

  #refuseStopped(): void {
    if (this.#isStopped !== undefined) throw new Error(this.#isStopped)
  }
}

const outOfTime = 'the time that custom rules have together in a run was used up'
