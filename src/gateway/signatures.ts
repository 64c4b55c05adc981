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

/**
 * What the service can compute, of deliveries (`pkg/signature/signature.go`) and of events that come in
 * (`pkg/verifier/verifier.go`) alike, in this spelling alone: the same in v25.6.3, v26.3.6 and v26.7.3. Its API takes more.
 */
export function computesHash(hash: string): boolean {
  return hash === 'SHA256' || hash === 'SHA512'
}

export function computesEncoding(encoding: string): boolean {
  return encoding === 'hex' || encoding === 'base64'
}

/** Senders whose way of signing the service knows, as it spells them. Of their verifier it reads the secret alone. */
export function knowsProvider(provider: string): boolean {
  return provider === 'github' || provider === 'shopify' || provider === 'twitter'
}

/** Whether a request can have a header of this name: Go takes no other characters, and keeps `Host` apart. */
export function isReadableHeader(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/^host$/i.test(name)
}
