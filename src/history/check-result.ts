import type { CheckResult } from './upkeep.ts'

/** What a check holds, and what it means when it fails. */
export interface CheckWords {
  readonly id: string
  /** Printed when there is no fault. */
  readonly invariant: string
  /** What a fault means for the users of the history. */
  readonly means: string
}

const mostQuoted = 3

/** The faults that one check finds: all are counted, the first are quoted. */
export class Faults {
  readonly #quoted: string[] = []
  #count = 0

  add(fault: string): void {
    this.#count += 1
    if (this.#quoted.length < mostQuoted) this.#quoted.push(fault)
  }

  resultOf({ id, invariant, means }: CheckWords): CheckResult {
    if (this.#count === 0) return { id, ok: true, detail: invariant }
    const rest = this.#count - this.#quoted.length
    const detail = this.#quoted.join('; ') + (rest === 0 ? '' : `; and ${rest} more`)
    return { id, ok: false, detail, means }
  }
}

/** Checks of the file or the server first, then invariants by number. */
export function inOrder(a: CheckResult, b: CheckResult): number {
  return numberOf(a) - numberOf(b)
}

function numberOf({ id }: CheckResult): number {
  return Number(/^I(\d+)$/.exec(id)?.[1] ?? 0)
}
