import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** As many items as fit into the memory that Node takes anyway. */
const smallFleet = 10_000
/** A request leaves as much garbage as so many items, however few its page has. */
const leastOfPage = 10

/**
 * Counts the items of a run, page by page, and has Node collect garbage sooner in a large one: a tenth to a fifth less
 * memory from 60,000 resources on. On busy machines that took up to two fifths more CPU time.
 */
export function boundHeap(setFlags = setFlagsFromString): (items: number) => void {
  let left = smallFleet
  return (items) => {
    if (left <= 0) return
    left -= Math.max(items, leastOfPage)
    if (left > 0) return
    // What is compiled so far is kept for the next start: with another flag, it would not be accepted.
    flushCompileCache()
    setFlags('--heap-growing-percent=30')
  }
}
