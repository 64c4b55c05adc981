import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** Larger than any file that a person writes. */
const usualBytes = 16 * 1024 * 1024

/** Reads the text of a file that a person named. Throws the system's error, or why it is not such a file. */
export function readTextFile(file: string, mostBytes = usualBytes): string {
  const bytes = readRegularFile(file, mostBytes)
  // Otherwise bytes that are no character would be replaced, and a name in a policy match nothing.
  if (!isUtf8(bytes)) {
    const isDer = bytes[0] === 0x30 && derLengths.includes(bytes[1] ?? 0)
    throw new Error(
      isDer
        ? 'it is in DER form: convert it to PEM, such as with `openssl x509 -inform der`'
        : 'it is not UTF-8: save it in that encoding',
    )
  }
  return bytes.toString('utf8')
}

/** Reads a stream to its end. Throws where it is longer than a file that a person writes, or not UTF-8. */
export async function readStream(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > usualBytes) throw new Error(`it is larger than ${sizeOf(usualBytes)}, the limit`)
    chunks.push(Buffer.from(chunk))
  }
  const all = Buffer.concat(chunks)
  if (!isUtf8(all)) throw new Error('it is not UTF-8: save it in that encoding')
  return all.toString('utf8')
}

/** The second byte of a certificate as Windows exports it, and of a key store: how many bytes of length follow. */
const derLengths: readonly number[] = [0x81, 0x82, 0x83, 0x84]

/**
 * Reads a regular file. A pipe would block until another process writes to it, and a device has no end: both are
 * refused without being read.
 */
function readRegularFile(file: string, mostBytes: number): Buffer {
  refuseSpecial(statSync(file))
  // Another file may have replaced it since: a pipe must not block the opening, and the type is checked again.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    refuseSpecial(fstatSync(handle))
    return readAll(handle, mostBytes)
  } finally {
    closeSync(handle)
  }
}

function readAll(handle: number, mostBytes: number): Buffer {
  const chunks: Buffer[] = []
  let bytes = 0
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024)
    const read = readSync(handle, chunk)
    if (read === 0) return Buffer.concat(chunks)
    bytes += read
    if (bytes > mostBytes) throw new Error(`it is larger than ${sizeOf(mostBytes)}, the limit`)
    chunks.push(chunk.subarray(0, read))
  }
}

function refuseSpecial(stats: Stats): void {
  if (stats.isFile()) return
  // With the code that the system gives a directory.
  if (stats.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' })
  throw new Error(`it is ${kindOf(stats)}, expected a regular file: write its content to a file first`)
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return 'a pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

function sizeOf(bytes: number): string {
  const [size, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KiB'] : [bytes / 1024 / 1024, 'MiB']
  return `${size} ${unit}`
}
