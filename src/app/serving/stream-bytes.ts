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

/** What is sent to a port is a form of a few fields. */
export const mostBodyBytes = 4096

/** The body of a request, empty where there is none; undefined where it is too long, of which no more is read. */
export async function readBody({ headers, body }: Request): Promise<Buffer | undefined> {
  if (Number(headers.get('content-length') ?? 0) > mostBodyBytes) return undefined
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.byteLength
    if (size > mostBodyBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
