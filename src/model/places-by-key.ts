import { hash } from 'node:crypto'

/**
 * Numbers by text, for as many as a listing has items: as they are while they are few, and then 20 bytes each and the
 * place in a table, however long the texts are. A text that is added again adds a place to the first.
 */
export class PlacesByKey {
  /** Entries by text; undefined once they are many. */
  #plain: Map<string, number> | undefined = new Map()
  #digests: KeyDigests | undefined
  /** By entry. */
  #places = new Uint32Array(16)
  #size = 0
  /** All places of entries with more than one: hardly any has. */
  readonly #repeated = new Map<number, number[]>()

  /** How many texts there are. */
  get size(): number {
    return this.#size
  }

  /** `place`: below 2^32. Returns whether the text is new. */
  add(key: string, place = 0): boolean {
    if (place >= 2 ** 32) throw new RangeError(`${place} is too high for a place`)
    const entry = this.#plain === undefined ? this.#compact().add(digestOf(key)) : (this.#plain.get(key) ?? this.#size)
    if (entry < this.#size) {
      const places = this.#repeated.get(entry) ?? [this.#places[entry] ?? 0]
      places.push(place)
      this.#repeated.set(entry, places)
      return false
    }
    if (entry === this.#places.length) this.#places = grown(this.#places)
    this.#places[entry] = place
    this.#size += 1
    this.#plain?.set(key, entry)
    if (this.#size > mostPlain) this.#compact()
    return true
  }

  has(key: string): boolean {
    return this.#plain?.has(key) ?? this.#compact().has(digestOf(key))
  }

  /** The places of each text that was added more than once, in the order of adding. */
  repeated(): Iterable<readonly number[]> {
    return this.#repeated.values()
  }

  /** The last place of each text that another does not have, in the order of adding. */
  outside(other: PlacesByKey): readonly number[] {
    const left: number[] = []
    const take = (entry: number) => void left.push(this.#repeated.get(entry)?.at(-1) ?? this.#places[entry] ?? 0)
    if (this.#plain !== undefined) {
      for (const [key, entry] of this.#plain) if (!other.has(key)) take(entry)
      return left
    }
    const [own, others] = [this.#compact(), other.#compact()]
    for (let entry = 0; entry < this.#size; entry++) if (!others.has(own.at(entry))) take(entry)
    return left
  }

  #compact(): KeyDigests {
    if (this.#digests !== undefined) return this.#digests
    const digests = new KeyDigests()
    for (const key of this.#plain?.keys() ?? []) digests.add(digestOf(key))
    this.#plain = undefined
    this.#digests = digests
    return digests
  }
}

/** Texts up to which they are kept: a digest takes ten times as long as finding a text in a map. */
const mostPlain = 10_000

const words = 4

/** Digests of 128 bits, numbered in the order of adding. */
class KeyDigests {
  #words = new Uint32Array(words * 16)
  #size = 0
  /** Numbers of digests, where the beginning of each leads; -1 where none is. */
  #slots = new Int32Array(64).fill(-1)

  /** Its number: the next one when it is new. */
  add(digest: Uint32Array): number {
    const slot = this.#slotOf(digest)
    const known = this.#slots[slot] ?? -1
    if (known >= 0) return known
    const entry = this.#size
    if (entry * words === this.#words.length) this.#words = grown(this.#words)
    this.#words.set(digest, entry * words)
    this.#slots[slot] = entry
    this.#size += 1
    if (this.#size * 1.5 > this.#slots.length) this.#spread()
    return entry
  }

  has(digest: Uint32Array): boolean {
    return (this.#slots[this.#slotOf(digest)] ?? -1) >= 0
  }

  at(entry: number): Uint32Array {
    return this.#words.subarray(entry * words, (entry + 1) * words)
  }

  /** The slot of the digest, or the free one where it belongs. */
  #slotOf(digest: Uint32Array): number {
    const mask = this.#slots.length - 1
    for (let slot = (digest[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? -1
      if (entry < 0 || this.#isAt(entry, digest)) return slot
    }
  }

  #isAt(entry: number, digest: Uint32Array): boolean {
    const from = entry * words
    return digest.every((word, at) => this.#words[from + at] === word)
  }

  #spread(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1)
    for (let entry = 0; entry < this.#size; entry++) this.#slots[this.#slotOf(this.at(entry))] = entry
  }
}

/** Of all its code units: texts that are not well-formed differ too. */
function digestOf(key: string): Uint32Array {
  const bytes = hash('sha256', Buffer.from(key, 'utf16le'), 'buffer')
  return Uint32Array.from({ length: words }, (_, at) => bytes.readUInt32LE(at * 4))
}

function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
