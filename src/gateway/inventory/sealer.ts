import { createHmac, createSecretKey, hash } from 'node:crypto'
import { maskedSeal } from '../../model/resource.ts'
import { escapeForRegExp } from '../../model/text/neutralise.ts'

/**
 * Replaces secrets by keyed digests. One secret has one seal under one installation key, so rotation and reuse stay
 * visible. Without the key, guesses cannot be tried against a seal.
 */
export interface Sealer {
  /** Identifies the installation key without revealing it: 16 hex digits. */
  readonly keyId: string
  /**
   * `sealed:<32 hex digits>` (HMAC-SHA256 cut to 128 bits), or `sealed:masked` for a value that the service masks. A
   * seal stays that seal.
   */
  seal(secret: string): string
  /** A digest of bytes that may hold secrets, under a key of its own: 22 characters. Absent without a key. */
  digest?(bytes: Buffer): string
  /** Whether a seal is the seal of a text. Absent without a key. */
  isSealOf?(seal: string, text: string): boolean
  /** Finds the secrets of the configuration, which need not look like secrets. Absent where none are known. */
  readonly known?: RegExp | undefined
}

/** `installationKey`: at least 32 random bytes. `secrets`: those of the configuration. */
export function createSealer(installationKey: Buffer, secrets: readonly string[] = []): Sealer {
  const key = createSecretKey(installationKey)
  // Bytes that were read without knowing a secret are read again once it is known.
  const digestKey = createHmac('sha256', key)
    .update(['digests of bytes', ...secrets].join('\0'))
    .digest()
  const digest = (text: string) => `sealed:${createHmac('sha256', key).update(text).digest('hex').slice(0, 32)}`
  return {
    keyId: hash('sha256', Buffer.concat([Buffer.from('hookdrift key id\0'), installationKey])).slice(0, 16),
    seal(secret) {
      if (isMask(secret)) return maskedSeal
      if (isSeal(secret)) return secret
      return digest(secret)
    },
    // Cut in half, so that nothing can be appended to what was digested.
    digest: (bytes) => hash('sha256', Buffer.concat([digestKey, bytes]), 'base64url').slice(0, 22),
    isSealOf: (seal, text) => isSeal(seal) && seal === digest(text),
    known: findKnown(secrets),
  }
}

/** Seals the secrets of the configuration within a text, and leaves the rest. */
export function sealKnown(text: string, { known, seal }: Sealer): string {
  return known === undefined ? text : text.replace(known, seal)
}

/** Whether a text contains a secret of the configuration. */
export function holdsKnown(text: string, { known }: Sealer): boolean {
  return known !== undefined && text.search(known) >= 0
}

/** Characters. A shorter key is in ordinary words by chance: what was sealed in them would show it. */
const shortestKnown = 8

/** Finds secrets as they are, and as addresses and headers have them. The longest first: one may contain another. */
function findKnown(secrets: readonly string[]): RegExp | undefined {
  const forms = secrets
    .filter(({ length }) => length >= shortestKnown)
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
  const texts = [...new Set(forms)].sort((a, b) => b.length - a.length).map(escapeForRegExp)
  return texts.length === 0 ? undefined : new RegExp(texts.join('|'), 'g')
}

/** Whether a text is a seal and nothing else. */
export function isSeal(text: string): boolean {
  return text.startsWith('sealed:') && /^sealed:(?:[0-9a-f]{32}|masked)$/.test(text)
}

/** Whether a text of a service would pass for one with a seal in it. */
export function isSealLike(text: string): boolean {
  return text.includes('sealed:') && /sealed:(?:[0-9a-f]{32}|masked)/.test(text)
}

/** The seal of a text, even of one that is written like a seal. */
export function sealAsSent(text: string, sealer: Sealer): string {
  return sealer.seal(`as sent: ${text}`)
}

/** Without a key, a secret is masked: present, with an unknown value. Seals stay. */
export const maskingSealer = createMaskingSealer([])

/** For texts of people, where the secrets of the configuration are masked too. */
export function createMaskingSealer(secrets: readonly string[]): Sealer {
  return { keyId: '', seal: (secret) => (isSeal(secret) ? secret : maskedSeal), known: findKnown(secrets) }
}

/**
 * A longer text is sealed whole, so that no regular expression runs over it: V8's overflow their stack at some
 * megabytes. Names, addresses and descriptions are never as long. In UTF-16 code units.
 */
export const longestText = 64 * 1024

/** Whether a text is what services write in place of a secret. */
export function isMask(text: string): boolean {
  return mask.test(text)
}

/** With so many signs as the service likes, or one for each character of the secret. */
const mask = /^(?:\[redacted\]|[*•●]{3,512})$/i
