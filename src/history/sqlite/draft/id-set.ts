/** A set of small positive integers, one bit each: what a run confirms or ends is remembered until its commit. */
export class IdSet {
  #bits = new Uint8Array(1024)

  add(id: number): void {
    const place = id >>> 3
    if (place >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(place + 1, this.#bits.length * 2))
      grown.set(this.#bits)
      this.#bits = grown
    }
    this.#bits[place] = (this.#bits[place] ?? 0) | (1 << (id & 7))
  }

  delete(id: number): void {
    const place = id >>> 3
    if (place < this.#bits.length) this.#bits[place] = (this.#bits[place] ?? 0) & ~(1 << (id & 7))
  }

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0
  }

  /** Ascending. */
  *[Symbol.iterator](): Generator<number> {
    for (const [place, bits] of this.#bits.entries()) {
      for (let bit = 0; bits >>> bit > 0; bit += 1) if ((bits >>> bit) & 1) yield place * 8 + bit
    }
  }
}
