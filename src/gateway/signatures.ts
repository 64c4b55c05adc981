/** Whether new designs should avoid a hash even within an HMAC, in any spelling: `MD5`, `SHA1`, `sha-1`. */
export function isOutdatedHash(hash: string): boolean {
  return /^(md5|sha-?1)$/i.test(hash)
}

/**
 * How much a hash is worth within an HMAC, to compare two: 256 bits and more count the same, because there is no gain from
 * the difference. undefined for one that is not known.
 */
export function hashStrength(hash: string): number | undefined {
  if (/^md5$/i.test(hash)) return 1
  if (/^sha-?1$/i.test(hash)) return 2
  const [, bits] = /(224|256|384|512)$/.exec(hash) ?? []
  if (bits === undefined) return undefined
  return bits === '224' ? 3 : 4
}
