import { replaceAssigned } from '../secrets/assigned-secrets.ts'
import { credentials, mayHoldCredential } from '../secrets/known-secrets.ts'
import { replaceGrouped, replaceMixed, replaceRandom, shortest } from '../secrets/random-text.ts'
import { asSeen } from '../secrets/seen-text.ts'
import { longestText } from './bounds.ts'
import { maskingSealer } from './masking-sealer.ts'
import type { Sealer } from './sealer.ts'

/** Replaces every credential in a text by its seal. */
export function sealCredentials(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  return mayHoldCredential(text) ? text.replace(credentials, (found) => sealer.seal(found)) : text
}

/** Replaces every random word by its seal. Names, ULIDs and UUIDs stay: people select things by them. */
export function sealRandom(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  if (text.length < shortest) return text
  if (!text.includes('sealed:')) return replaceRandom(text, sealer.seal)
  // Keeps seals as they are, with any text around them.
  const parts = text.split(/(sealed:[0-9a-f]{32})/)
  return parts.map((part, index) => (index % 2 === 1 ? part : replaceRandom(part, sealer.seal))).join('')
}

/** Seals secrets within words, as a reader sees them: credentials, values after `password:` and the like, random words. */
export function sealWords(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  const assigned = replaceAssigned(sealCredentials(text, sealer), sealer.seal)
  return sealRandom(replaceMixed(replaceGrouped(assigned, sealer.seal), sealer.seal), sealer)
}

/** Whether `sealWords` would seal anything. */
export function holdsSecret(text: string): boolean {
  const seen = asSeen(text)
  return sealWords(seen, maskingSealer) !== seen
}
