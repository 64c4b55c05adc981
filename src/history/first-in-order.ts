/**
 * The first `most` values of many, by an order, without keeping the others: at most twice as many are held. Of equal ones,
 * those added first come first.
 */
export function firstInOrder<Value>(most: number, order: (a: Value, b: Value) => number) {
  let kept: Value[] = []
  let last: Value | undefined
  const cut = () => {
    kept.sort(order)
    if (kept.length < most) return
    kept = kept.slice(0, most)
    last = kept.at(-1)
  }
  return {
    add(value: Value): void {
      if (last !== undefined && order(value, last) >= 0) return
      kept.push(value)
      if (kept.length >= 2 * most) cut()
    },
    /** Sorted. */
    values(): readonly Value[] {
      cut()
      return kept
    },
  }
}
