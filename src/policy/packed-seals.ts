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
 * Packs seals as base64: a fleet has as many as it has resources, and hardly any occurs twice.
 * @throws Error when a project has more resources with facts than a line number holds
 */
export function packSeals(seals: readonly FoundSeal[]): string {
  const bytes = Buffer.alloc(seals.length * recordBytes)
  let at = 0
  for (const { rule, short, line } of seals) {
    if (line >= mostLines || rule > 255) throw new Error('facts of too many resources or rules in one project')
    bytes.writeDoubleLE(short, at)
    bytes.writeUInt32LE(line * 256 + rule, at + 8)
    at += recordBytes
  }
  return bytes.toString('base64')
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
