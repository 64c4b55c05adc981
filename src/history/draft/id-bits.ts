/**
 * A set of positive integers as plain JSON: by number of each group of 32, a bit for each member. Ids that follow each
 * other, as those of a page do, take little memory, and they may start high.
 */
export type IdBits = Record<number, number>

/** Returns whether it is new. */
export function addId(bits: IdBits, id: number): boolean {
  const group = Math.floor(id / 32)
  const before = bits[group] ?? 0
  const after = before | (1 << (id % 32))
  bits[group] = after
  return after !== before
}

export function hasId(bits: IdBits, id: number): boolean {
  return ((bits[Math.floor(id / 32)] ?? 0) & (1 << (id % 32))) !== 0
}

/** Ascending. */
export function* idsIn(bits: IdBits): Generator<number> {
  for (const [group, members] of Object.entries(bits)) {
    for (let bit = 0; bit < 32; bit += 1) if ((members >>> bit) & 1) yield Number(group) * 32 + bit
  }
}
