import { findAssigned } from './assigned-secrets.ts'
import { findGrouped } from './disguised-secrets.ts'
import { asSeen, isPlain } from './plain-text.ts'

/**
 * Whether a text is plain, as a reader sees it, and its words together are no secret either: `password: swordfish`, and a
 * key in groups of four, are plain words one by one.
 */
export function isHarmless(text: string): boolean {
  const seen = asSeen(text)
  return isPlain(seen) && findGrouped(seen).length === 0 && findAssigned(seen).length === 0
}

/** Characters: `brainpoolP512r1`, `ap-southeast-1`, `SCRAM-SHA-512`. */
const longestWord = 32

/** Whether a text looks like a word of a vocabulary: an algorithm, a curve, a region, a scheme, a port, a state. */
export function isVocabulary(text: string): boolean {
  const word = text.trim()
  if (word.length > longestWord || !/^[A-Za-z0-9_][A-Za-z0-9_./+ -]{0,32}$/.test(word)) return word === ''
  return /^\d{1,5}$/.test(word) || curves.test(word) || isHarmless(word)
}

/** Names with numbers in them that are not those of plain words. */
const curves =
  /^(?:sec[pt]\d{3}[kr]\d|brainpool[PT]\d{3}[rt]\d|[Ee]d(?:25519|448)|[Xx](?:25519|448)|prime256v1|[EHPR]S\d{3}K?|sha3?[-_]?\d{3}(?:[_/-]\d{3})?)$/
