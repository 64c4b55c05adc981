import { digestBytes } from './keyed-digest.ts'

/** Finds an item of a listing by its digest, wherever it was in the last scan: four bytes an item and a half. */
export class MarkIndex {
  readonly #digestAt: (item: number) => Buffer
  readonly #slots: Int32Array

  /** `items`: how many there are; `digestAt`: the digest of one, 16 bytes. */
  constructor(items: number, digestAt: (item: number) => Buffer) {
    this.#digestAt = digestAt
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(items + 1) + 0.5)).fill(-1)
    for (let item = 0; item < items; item++) this.#slots[this.#slotOf(digestAt(item))] = item
  }

  /** Its place; undefined for a digest of no item. */
  find(digest: Buffer): number | undefined {
    const item = this.#slots[this.#slotOf(digest)]
    return item === undefined || item < 0 ? undefined : item
  }

  /** The slot of the digest, or the free one where it belongs. A digest is random: its beginning spreads well. */
  #slotOf(digest: Buffer): number {
    const mask = this.#slots.length - 1
    let slot = digest.readUInt32LE(0) & mask
    for (;;) {
      const item = this.#slots[slot] ?? -1
      if (item < 0 || digest.compare(this.#digestAt(item), 0, digestBytes) === 0) return slot
      slot = (slot + 1) & mask
    }
  }
}
