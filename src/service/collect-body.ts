/** Without an announced length, this much is allocated at a time. */
const blockBytes = 1024 * 1024

/** Takes in a body as it arrives. */
export interface BodyCollector {
  /** Copies a chunk: one of one byte would keep the whole read buffer in memory. Returns false beyond the limit. */
  add(chunk: Buffer): boolean
  /** All that was added. */
  whole(): Buffer
}

/** `announced`: the length in the head of the answer, if any. */
export function collectBody(maxBytes: number, announced?: number): BodyCollector {
  const full: Buffer[] = []
  let block = Buffer.allocUnsafeSlow(0)
  let filled = 0
  let length = 0
  return {
    add(chunk) {
      length += chunk.length
      if (length > maxBytes) return false
      for (let taken = 0; taken < chunk.length; ) {
        if (filled === block.length) {
          if (filled > 0) full.push(block)
          block = Buffer.allocUnsafeSlow(nextBlock(length - chunk.length + taken, maxBytes, announced))
          filled = 0
        }
        const copied = chunk.copy(block, filled, taken)
        filled += copied
        taken += copied
      }
      return true
    },
    whole() {
      const rest = block.subarray(0, filled)
      return full.length === 0 ? rest : Buffer.concat([...full, rest], length)
    },
  }
}

/** The announced length in one piece, where it is plausible; the memory is not touched before it is filled. */
function nextBlock(read: number, maxBytes: number, announced: number | undefined): number {
  const isPlausible = announced !== undefined && Number.isInteger(announced) && announced > read
  return isPlausible && announced <= maxBytes ? announced - read : blockBytes
}
