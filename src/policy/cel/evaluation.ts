import type { Meter } from '../../rules/engine/rule.ts'

/** Rounds of macros that one expression may take for one resource; `re` takes one for each thousand characters. */
const maxSteps = 50_000
const stepsPerScan = 512

/**
 * What goes on while an expression is evaluated. Functions and fields of the language write into it, since an error
 * within an expression can be swallowed by `||` or a macro; what is kept here cannot.
 */
export class Evaluation {
  #time: { readonly now: number } = { now: 0 }
  #steps = 0
  #meter: Meter | undefined
  #isStopped: string | undefined
  #hasReadUnshown = false

  /** Answers `undefined` where the expression read something that the service does not show. @throws Error */
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

  /** Milliseconds since the epoch. Read only when an expression asks: a replay notes that it did. */
  get now(): number {
    return this.#time.now
  }

  get steps(): number {
    return this.#steps
  }

  /** The value is not known, and the expression's result means nothing. */
  readUnshown(): void {
    this.#hasReadUnshown = true
  }

  /** Takes steps; answers whether the evaluation has to end. */
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
