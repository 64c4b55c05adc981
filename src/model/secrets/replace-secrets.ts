import { findAssigned } from './assigned-secrets.ts'
import { findGrouped, findMixed } from './disguised-secrets.ts'
import { credentials, mayHoldCredential } from './known-secrets.ts'
import { findRandom } from './random-text.ts'
import { mergeSpans, type TextSpan } from './text-span.ts'

export type FindSecrets = (text: string) => readonly TextSpan[]

const everything: readonly FindSecrets[] = [findCredentials, findAssigned, findGrouped, findMixed, findRandom]

/**
 * Replaces what looks like a secret in a text. Default: credentials, values that the text calls secret, and random texts,
 * also in disguise. Each is searched for in what the ones before left. Seals stay.
 */
export function replaceSecrets(text: string, replace: (secret: string) => string, finders = everything): string {
  return finders.reduce((rest, find) => replaceFound(rest, replace, find), text)
}

export function findCredentials(text: string): readonly TextSpan[] {
  if (!mayHoldCredential(text)) return []
  return [...text.matchAll(credentials)].map(({ 0: form, index }) => ({ from: index, to: index + form.length }))
}

function replaceFound(text: string, replace: (secret: string) => string, find: FindSecrets): string {
  const searched = text.includes('sealed:') ? text.replace(seals, (seal) => inWord.repeat(seal.length)) : text
  const out: string[] = []
  let at = 0
  for (const { from, to } of mergeSpans(find(searched))) {
    const secret = text.slice(from, to)
    // What has a seal in it was sealed before, with what is around it.
    if (searched.slice(from, to) !== secret) continue
    out.push(text.slice(at, from), replace(secret))
    at = to
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

const seals = /sealed:(?:[0-9a-f]{32}|masked)/g
/** A letter, as most secrets begin and end with one, that no random text has. */
const inWord = '\u02e2'
