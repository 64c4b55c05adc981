import { hash } from 'node:crypto'
import { DigestIndex } from './digest-index.ts'

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
    if (entry === this.#places.length) {
      const larger = new Uint32Array(entry * 2)
      larger.set(this.#places)
      this.#places = larger
    }
    this.#places[entry] = place
    this.#size += 1
    this.#plain?.set(key, entry)
    if (this.#size > mostPlain) this.#compact()
    return true
  }

  has(key: string): boolean {
    return this.#plain?.has(key) ?? this.#compact().has(digestOf(key))
  }

  /** The places of each text that was added more than once, in the order in which the texts came. */
  repeated(): readonly (readonly number[])[] {
    return [...this.#repeated].sort(([a], [b]) => a - b).map(([, places]) => places)
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

/** 128 bits. */
const digestBytes = 16

/** Digests in one piece of memory, numbered in the order of adding. */
class KeyDigests {
  #bytes = Buffer.alloc(16 * digestBytes)
  #size = 0
  readonly #index = new DigestIndex((entry) => this.at(entry))

  /** Its number: the next one when it is new. */
  add(digest: Buffer): number {
    const known = this.#index.find(digest)
    if (known !== undefined) return known
    const entry = this.#size++
    if (entry * digestBytes === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes])
    digest.copy(this.#bytes, entry * digestBytes)
    this.#index.add(entry)
    return entry
  }

  has(digest: Buffer): boolean {
    return this.#index.find(digest) !== undefined
  }

  at(entry: number): Buffer {
    return this.#bytes.subarray(entry * digestBytes, (entry + 1) * digestBytes)
  }
}

/** Of all its code units: texts that are not well-formed differ too. */
function digestOf(key: string): Buffer {
  return hash('sha256', Buffer.from(key, 'utf16le'), 'buffer').subarray(0, digestBytes)
}
