/**
 * What the service can compute, of deliveries (`pkg/signature/signature.go`) and of events that come in
 * (`pkg/verifier/verifier.go`) alike, in this spelling alone: the same in v25.6.3, v26.3.6 and v26.7.3. Its API takes more.
 */
const hashes: ReadonlySet<string> = new Set(['SHA256', 'SHA512'])
const encodings: ReadonlySet<string> = new Set(['hex', 'base64'])

export function computesHash(hash: string): boolean {
  return hashes.has(hash)
}

export function computesEncoding(encoding: string): boolean {
  return encodings.has(encoding)
}

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
