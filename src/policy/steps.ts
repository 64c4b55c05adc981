/**
 * Work that may take long, in steps: between two of them, the caller may do something else or stop. Where a step is a
 * promise, the next one waits for it.
 */
export type Steps<Result> = Generator<void | Promise<void>, Result>

/** All of the work at once: it may have nothing to wait for. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (step.value instanceof Promise) throw new Error('a step of work that is done at once has to be waited for')
  }
}
