/** Finds digests that are kept elsewhere by their numbers: four bytes each and a half, or twice that while they come. */
export class DigestIndex {
  readonly #digestAt: (entry: number) => Buffer
  /** Numbers, where the beginning of each digest leads; -1 where none is. */
  #slots: Int32Array
  #size = 0

  /** `digestAt`: the digest with a number, the same length for all. `expected`: how many are going to be added. */
  constructor(digestAt: (entry: number) => Buffer, expected = 32) {
    this.#digestAt = digestAt
    this.#slots = slotsFor(expected)
  }

  /** The number of a digest; undefined where it was not added. */
  find(digest: Buffer): number | undefined {
    const entry = this.#slots[this.#slotOf(digest)] ?? -1
    return entry < 0 ? undefined : entry
  }

  /** Adds a number: of several with the same digest, the last is found. */
  add(entry: number): void {
    const slot = this.#slotOf(this.#digestAt(entry))
    if ((this.#slots[slot] ?? -1) < 0) this.#size += 1
    this.#slots[slot] = entry
    if (this.#size * 1.25 > this.#slots.length) this.#spread()
  }

  #spread(): void {
    const before = this.#slots
    this.#slots = slotsFor(before.length)
    for (const entry of before) if (entry >= 0) this.#slots[this.#slotOf(this.#digestAt(entry))] = entry
  }

  /** The slot of the digest, or the free one where it belongs. A digest is random: its beginning spreads well. */
  #slotOf(digest: Buffer): number {
    const mask = this.#slots.length - 1
    for (let slot = digest.readUInt32LE(0) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? -1
      if (entry < 0 || digest.equals(this.#digestAt(entry))) return slot
    }
  }
}

function slotsFor(expected: number): Int32Array {
  return new Int32Array(2 ** Math.ceil(Math.log2(expected + 1) + 0.5)).fill(-1)
}
