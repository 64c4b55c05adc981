/** Whether new designs are told to avoid a hash even within an HMAC, in any spelling: `MD5`, `SHA1`, `sha-1`. */
export function isOutdatedHash(hash: string): boolean {
  return /^(md5|sha-?1)$/i.test(hash)
}
