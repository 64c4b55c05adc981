import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** As many items as fit into the memory that Node takes anyway. */
const smallFleet = 10_000

/**
 * Counts the items of a run, and has Node collect garbage sooner in a large one: a fifth less memory at 200,000
 * resources, for a twentieth more CPU time.
 */
export function boundHeap(): (items: number) => void {
  let left = smallFleet
  return (items) => {
    if (left <= 0) return
    left -= items
    if (left > 0) return
    // What is compiled so far is kept for the next start: with another flag, it would not be accepted.
    flushCompileCache()
    setFlagsFromString('--heap-growing-percent=30')
  }
}
