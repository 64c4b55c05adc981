import { replaceAssigned } from '../model/assigned-secrets.ts'
import { replaceRandom, shortest } from '../model/looks-random.ts'
import { credentials, mayHoldCredential } from '../model/looks-secret.ts'
import { longestText } from './bounds.ts'
import type { Sealer } from './sealer.ts'
import { skipHarmless } from './skip-harmless.ts'

/** Replaces everything in a text that has the form of a credential by its seal. */
export function sealCredentials(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  return mayHoldCredential(text) ? text.replace(credentials, (found) => sealer.seal(found)) : text
}

/** Replaces every word that looks random by its seal. Names, ULIDs and UUIDs stay: people know and select things by them. */
export function sealRandom(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  if (text.length < shortest) return text
  if (!text.includes('sealed:')) return replaceRandom(text, sealer.seal)
  // A seal stays one whatever stands beside it.
  const parts = text.split(/(sealed:[0-9a-f]{32})/)
  return parts.map((part, index) => (index % 2 === 1 ? part : replaceRandom(part, sealer.seal))).join('')
}

/** Seals within words that people wrote: the forms of credentials, what stands behind `password:` and the like, what looks random. */
export const sealProse = skipHarmless((text: string, sealer: Sealer): string => {
  if (text.length > longestText) return sealer.seal(text)
  return sealRandom(replaceAssigned(sealCredentials(text, sealer), sealer.seal), sealer)
})
