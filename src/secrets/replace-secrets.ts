import { findAssigned } from './assigned-secrets.ts'
import { findGrouped, findMixed } from './disguised-secrets.ts'
import { credentials, mayHoldCredential } from './known-secrets.ts'
import { findRandom } from './random-text.ts'
import { mergeSpans, type TextSpan } from './text-span.ts'

export type FindSecrets = (text: string) => readonly TextSpan[]

const everything: FindSecrets = (text) =>
  [findCredentials, findAssigned, findGrouped, findMixed, findRandom].flatMap((find) => find(text))

/**
 * Replaces what looks like a secret in a text. Default: credentials, values that the text calls secret, and random texts,
 * also in disguise. Seals stay.
 */
export function replaceSecrets(text: string, replace: (secret: string) => string, find = everything): string {
  if (!text.includes('sealed:')) return replaceWithin(text, replace, find)
  const parts = text.split(/(sealed:(?:[0-9a-f]{32}|masked))/)
  return parts.map((part, index) => (index % 2 === 1 ? part : replaceWithin(part, replace, find))).join('')
}

export function findCredentials(text: string): readonly TextSpan[] {
  if (!mayHoldCredential(text)) return []
  return [...text.matchAll(credentials)].map(({ 0: form, index }) => ({ from: index, to: index + form.length }))
}

function replaceWithin(text: string, replace: (secret: string) => string, find: FindSecrets): string {
  const out: string[] = []
  let at = 0
  for (const { from, to } of mergeSpans(find(text))) {
    out.push(text.slice(at, from), replace(text.slice(from, to)))
    at = to
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}
