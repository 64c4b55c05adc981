/** What is handed to a connection at once: what it has not taken yet stays in one place. */
const partBytes = 64 * 1024

/** Bytes as the body of an answer, of which no copy is made. */
export function streamBytes(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + partBytes))
        at += partBytes
        if (at >= bytes.byteLength) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The bytes of a body: its own where it is in one piece, as texts are. */
export async function gatherBytes(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  const [first] = parts
  const isWhole = parts.length === 1 && first?.byteLength === first?.buffer.byteLength
  return isWhole && first?.buffer instanceof ArrayBuffer ? new Uint8Array(first.buffer) : joined(parts)
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}
