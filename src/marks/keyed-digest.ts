import { createHash, hash } from 'node:crypto'

/** Bytes of a digest: 128 bits. */
export const digestBytes = 16

/** Longer texts are not copied. */
const mostCopied = 64 * 1024

/**
 * Digests bytes under a key, as if the parts were one: an item contains secrets in clear, and a plain digest of a weak one could be guessed.
 * SHA-256 over the key and the bytes, cut: what is cut cannot be extended. One call over a copy takes a third less than
 * an HMAC for the size of an item.
 */
export function keyedDigest(key: Buffer): (...parts: readonly Buffer[]) => Buffer {
  const copy = Buffer.alloc(key.length + mostCopied)
  key.copy(copy)
  return (...parts) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    if (length > mostCopied) {
      const digest = createHash('sha256').update(key)
      for (const part of parts) digest.update(part)
      return digest.digest().subarray(0, digestBytes)
    }
    let at = key.length
    for (const part of parts) at += part.copy(copy, at)
    return hash('sha256', copy.subarray(0, at), 'buffer').subarray(0, digestBytes)
  }
}
