/** Ids of versions in the order of a walk: four bytes each, as long as they are kept. */
export class VersionList {
  #ids = new Uint32Array(256)
  #length = 0
  #noted = 0
  /** Of the ids in their order, in two halves. */
  #high = 0x811c_9dc5
  #low = 0x1000_0193

  get length(): number {
    return this.#length
  }

  /** Adds an id to the digest, and to the list. */
  add(id: number): void {
    this.note(id)
    if (this.#length === this.#ids.length) {
      const grown = new Uint32Array(this.#ids.length * 2)
      grown.set(this.#ids)
      this.#ids = grown
    }
    this.#ids[this.#length++] = id
  }

  /** Adds an id to the digest alone. */
  note(id: number): void {
    this.#noted++
    this.#high = Math.imul(this.#high ^ id, 0x9e37_79b1) ^ (this.#high >>> 15)
    this.#low = Math.imul(this.#low + id, 0x85eb_ca6b) ^ (this.#low >>> 13)
  }

  /** Ids from one place to another. */
  slice(from: number, to: number): readonly number[] {
    return Array.from(this.#ids.subarray(from, Math.min(to, this.#length)))
  }

  /** Which of some ids are in the list. */
  among(wanted: ReadonlySet<number>): ReadonlySet<number> {
    const found = new Set<number>()
    if (wanted.size === 0) return found
    for (let at = 0; at < this.#length; at++) {
      const id = this.#ids[at] ?? 0
      if (wanted.has(id)) found.add(id)
    }
    return found
  }

  /** Differs where the ids or their order differ. */
  get digest(): string {
    return [this.#noted, this.#high >>> 0, this.#low >>> 0].join(' ')
  }

  /** Drops the list. */
  clear(): void {
    this.#ids = new Uint32Array(256)
    this.#length = 0
  }
}
