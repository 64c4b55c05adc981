/** Without an announced length, this much is allocated at a time. */
const blockBytes = 1024 * 1024

/**
 * Reads the whole body; undefined when it is larger than allowed, with the rest unread. Rejects when the connection
 * breaks. `announced`: the length in the head, if any. Chunks are copied at once: a chunk of one byte would keep the
 * whole read buffer in memory.
 */
export async function readBody(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  announced?: number,
): Promise<Buffer | undefined> {
  const full: Buffer[] = []
  let block = Buffer.allocUnsafeSlow(0)
  let filled = 0
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) return undefined
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
  }
  const rest = block.subarray(0, filled)
  return full.length === 0 ? rest : Buffer.concat([...full, rest], length)
}

/** The announced length in one piece, where it is plausible; the memory is not touched before it is filled. */
function nextBlock(read: number, maxBytes: number, announced: number | undefined): number {
  const isPlausible = announced !== undefined && Number.isInteger(announced) && announced > read
  return isPlausible && announced <= maxBytes ? announced - read : blockBytes
}
