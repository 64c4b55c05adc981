import { createHash, timingSafeEqual } from 'node:crypto'
import type { ReaderToken } from '../../config/configuration.ts'

/**
 * Creates a search for the token that a client sent. It takes the same time for any that is wrong: digests are
 * compared, in constant time, and with every token even after one matched.
 */
export function tokenSearch(tokens: readonly ReaderToken[]): (given: string) => ReaderToken | undefined {
  const known = tokens.map((reader) => ({ reader, digest: digestOf(reader.token) }))
  return (given) => {
    const digest = digestOf(given)
    return known.reduce<ReaderToken | undefined>(
      (found, one) => (timingSafeEqual(digest, one.digest) ? one.reader : found),
      undefined,
    )
  }
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
