/**
 * The first `most` values of many, by an order, without keeping the others: at most twice as many are held. Of equal ones,
 * those added first come first.
 */
export function firstInOrder<Value>(most: number, order: (a: Value, b: Value) => number) {
  let first: Value[] = []
  let last: Value | undefined
  const cut = () => {
    first.sort(order)
    if (first.length < most) return
    first = first.slice(0, most)
    last = first.at(-1)
  }
  return {
    add(value: Value): void {
      if (last !== undefined && order(value, last) >= 0) return
      first.push(value)
      if (first.length >= 2 * most) cut()
    },
    /** Sorted. */
    values(): readonly Value[] {
      cut()
      return first
    },
  }
}
