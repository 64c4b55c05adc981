/** A seal in the facts of a project: the place of its rule, and the line of its resource. */
export interface FoundSeal {
  readonly rule: number
  /** 52 bits of the seal. */
  readonly short: number
  readonly line: number
}

/** Eight bytes of the seal, three of the line, one of the rule. */
const recordBytes = 12
const mostLines = 2 ** 24

/**
 * Packs seals as they come: a fleet has as many as it has resources, and hardly any occurs twice.
 * @throws Error when a project has more resources with facts than a line number holds
 */
export class SealPacker {
  #bytes = Buffer.alloc(64 * recordBytes)
  #length = 0

  add({ rule, short, line }: FoundSeal): void {
    if (line >= mostLines || rule > 255) throw new Error('facts of too many resources or rules in one project')
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes])
    this.#bytes.writeDoubleLE(short, this.#length)
    this.#bytes.writeUInt32LE(line * 256 + rule, this.#length + 8)
    this.#length += recordBytes
  }

  /** As base64. */
  pack(): string {
    return this.#bytes.toString('base64', 0, this.#length)
  }
}

/** Calls for each seal, in the order of packing. */
export function eachSeal(packed: string, call: (rule: number, short: number, line: number) => void): void {
  const bytes = Buffer.from(packed, 'base64')
  for (let at = 0; at + recordBytes <= bytes.length; at += recordBytes) {
    const place = bytes.readUInt32LE(at + 8)
    call(place % 256, bytes.readDoubleLE(at), Math.floor(place / 256))
  }
}

/** 52 bits of `sealed:<32 hex digits>`. Grouping the facts separates two seals that share them. */
export function shortenSeal(seal: string): number {
  return Number.parseInt(seal.slice(7, 20), 16)
}
