import { closeSync, openSync, readSync } from 'node:fs'

/** Larger than any file that a person writes; what has no end must not be read to it. */
const mostBytes = 16 * 1024 * 1024

/** The text of a file that a person named. Throws what the system throws, or that the file is too large. */
export function readTextFile(file: string): string {
  const handle = openSync(file, 'r')
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for (;;) {
      const chunk = Buffer.alloc(64 * 1024)
      const read = readSync(handle, chunk)
      if (read === 0) return Buffer.concat(chunks).toString('utf8')
      bytes += read
      if (bytes > mostBytes) throw new Error(`it is larger than ${mostBytes / 1024 / 1024} MiB`)
      chunks.push(chunk.subarray(0, read))
    }
  } finally {
    closeSync(handle)
  }
}
