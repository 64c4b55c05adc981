/** A seal that a rule keeps of a resource. */
export interface FoundSeal {
  /** Its place in the list of rules. */
  readonly rule: number
  /** 48 bits of the seal. */
  readonly short: number
}

/** Six bytes of the seal, five of the resource's place, one of the rule. */
const recordBytes = 12

/**
 * Packs seals as they come: a fleet has as many as it has resources, and hardly any occurs twice. `place`: what the
 * resource is found by later, below 2^40.
 * @throws Error when a record cannot hold a number
 */
export class SealPacker {
  #bytes = Buffer.alloc(64 * recordBytes)
  #length = 0
  /** Of a large project it has megabytes, and is asked for several times. */
  #packed: string | undefined

  add({ rule, short }: FoundSeal, place: number): void {
    if (place >= 2 ** 40 || rule > 255) throw new Error('facts of too many resources or rules in one project')
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes])
    this.#bytes.writeUIntLE(short, this.#length, 6)
    this.#bytes.writeUIntLE(place, this.#length + 6, 5)
    this.#bytes.writeUInt8(rule, this.#length + 11)
    this.#length += recordBytes
    this.#packed = undefined
  }

  /** As base64. */
  pack(): string {
    this.#packed ??= this.#bytes.toString('base64', 0, this.#length)
    return this.#packed
  }
}

/** Calls for each seal, in the order of packing. */
export function eachSeal(packed: string, call: (seal: FoundSeal, place: number) => void): void {
  const bytes = Buffer.from(packed, 'base64')
  for (let at = 0; at + recordBytes <= bytes.length; at += recordBytes) {
    const seal = { rule: bytes.readUInt8(at + 11), short: bytes.readUIntLE(at, 6) }
    call(seal, bytes.readUIntLE(at + 6, 5))
  }
}

/** 48 bits of `sealed:<32 hex digits>`. Grouping the facts separates two seals that share them. */
export function shortenSeal(seal: string): number {
  return Number.parseInt(seal.slice(7, 19), 16)
}
