/** Bodies of resources at a time: memory holds no more of what is read from the history. */
export const bodiesAtOnce = 100

/** Cuts a list into parts of at most `size`, in order. */
export function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
