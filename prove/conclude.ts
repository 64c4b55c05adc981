/** What may break, each a column of the table: the three promises, and all else that a campaign holds to. */
export const promises = {
  unseen: 'taken for gone or fine, though not seen',
  secrets: 'secrets stored, logged or printed',
  whole: 'runs neither whole nor absent',
  other: 'crashed, hung, without bounds, or wrong',
} as const

export type Promised = keyof typeof promises

/** What a campaign, or a part of one, came to. */
export interface Outcome {
  readonly cases: number
  /** Cases in which a promise did not hold. None where it is left out. */
  readonly violations: Readonly<Partial<Record<Promised, number>>>
  /** The smallest case that failed, with what repeats it. */
  readonly smallest?: string
}

export function countViolations({ violations }: Outcome): number {
  return Object.values(violations).reduce((total, count) => total + count, 0)
}

/** Ends a campaign: with 1 for any violation. `npm run prove`, where it began the campaign, is sent the outcome. */
export function conclude(outcome: Outcome): void {
  process.send?.(outcome)
  if (countViolations(outcome) > 0) process.exitCode = 1
}

const mostFaults = 5

/** Counts the cases of a campaign that finds faults in words, and prints those of each case. */
export class Tally {
  #cases = 0
  readonly #violations: Partial<Record<Promised, number>> = {}
  #smallest: string | undefined

  /** `faults`: what was wrong in a case; empty where nothing was. `repeat`: the command that repeats it. */
  report(about: string, faults: readonly string[], promise: Promised, repeat: string): void {
    this.#cases += 1
    if (faults.length === 0) return
    this.#violations[promise] = (this.#violations[promise] ?? 0) + 1
    const what = `${about}: ${faults.slice(0, mostFaults).join('; ')}`
    process.stdout.write(`${what}\n`)
    this.#smallest ??= `${what}; ${repeat}`
  }

  get outcome(): Outcome {
    const smallest = this.#smallest
    return { cases: this.#cases, violations: this.#violations, ...(smallest !== undefined && { smallest }) }
  }

  /** Prints the sum, and ends the campaign. `unit`: what a case is. */
  conclude(unit: string): void {
    process.stdout.write(`${this.#cases} ${unit}, ${countViolations(this.outcome)} violations\n`)
    conclude(this.outcome)
  }
}
