/**
 * Work that may take long, in steps: between two of them, the caller may do something else or stop.
 */
export type Steps<Result> = Generator<void, Result>

/** All of the work at once. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
