/** Where a length is not announced: so much is set aside at a time. */
const blockBytes = 1024 * 1024

/**
 * The whole body; undefined when it is larger than allowed, the rest then unread. Rejects when the connection breaks.
 * `announced`: the length that the head tells, if any. Chunks are copied at once: a chunk of one byte would otherwise
 * keep what was read from the connection with it.
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

/** What was announced in one piece, where it is plausible; it is not touched before it is filled. */
function nextBlock(read: number, maxBytes: number, announced: number | undefined): number {
  const isPlausible = announced !== undefined && Number.isInteger(announced) && announced > read
  return isPlausible && announced <= maxBytes ? announced - read : blockBytes
}
