import type { SecretFacts, Weakness } from '../model/resource.ts'
import { hostOf } from './split-url.ts'

const lengthClasses = [64, 48, 32, 24, 16, 8] as const

/** Words that anyone guesses first; compared without case, digits and punctuation around them. */
const commonWords = new Set(
  `abc abcd abcdef admin administrator apikey changeme changeit convoy default demo dev development dummy example foo
  foobar guest hello hmac hunter key letmein master mysecret none null pass passwd password production qwerty root
  sample secret secretkey short signature signing signingsecret staging supersecret temp test testing testsecret
  token user webhook webhooks webhooksecret welcome whsec xxx`.split(/\s+/),
)

const longestCommonWord = Math.max(...[...commonWords].map(({ length }) => length))

export interface Neighbours {
  readonly name: string
  readonly uid: string
  /** The resource's address, if any. */
  readonly address: string
  /** The user whose password it is, if any. */
  readonly user: string
}

/** Access keys of AWS's token service begin with this; keys that last until they are revoked begin with `AKIA`. */
const temporaryKey = /^ASIA[A-Z0-9]{12,}$/

/** Characters. */
const longestKey = 64 * 1024

/** The facts that are kept of a sealed secret: a length class, and reasons for calling it weak. */
export function secretFactsOf(secret: string, { name, uid, address, user }: Neighbours): SecretFacts {
  // Longer than any key: searching it would let a service take our time.
  if (secret.length > longestKey) return { min_length: lengthClasses[0], weak: [] }
  const weak: Weakness[] = []
  const small = secret.toLowerCase()
  const bare = small.startsWith('whsec_') ? small.slice('whsec_'.length) : small
  if (isCommonWord(bare) || /^\d+$/.test(bare)) weak.push('common')
  if (isHostOf(address, bare)) weak.push('equals-host')
  if (name !== '' && bare === name.toLowerCase()) weak.push('equals-name')
  if (uid !== '' && bare === uid.toLowerCase()) weak.push('equals-uid')
  if (user !== '' && small === user.toLowerCase()) weak.push('equals-user')
  if (hasFewCharacters(bare)) weak.push('few-characters')
  if (isRepetition(bare)) weak.push('repetition')
  const length = lengthClasses.find((shortest) => secret.length >= shortest) ?? 0
  // In canonical order, as facts are stored.
  return temporaryKey.test(secret) ? { min_length: length, temporary: true, weak } : { min_length: length, weak }
}

/** Takes an address apart only if the text is in it. */
function isHostOf(address: string, text: string): boolean {
  return text !== '' && address.toLowerCase().includes(text) && hostOf(address).toLowerCase() === text
}

/** Without what is around its letters. Most secrets are longer than any such word. */
function isCommonWord(text: string): boolean {
  let from = 0
  let to = text.length
  while (from < to && !isLetter(text.charCodeAt(from))) from++
  while (to > from && !isLetter(text.charCodeAt(to - 1))) to--
  return to - from <= longestCommonWord && commonWords.has(text.slice(from, to))
}

/** `a` to `z`. */
function isLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a
}

/** Fewer than six different ones; in most texts the first few suffice. */
function hasFewCharacters(text: string): boolean {
  const characters: string[] = []
  for (const character of text) {
    if (characters.includes(character)) continue
    characters.push(character)
    if (characters.length === 6) return false
  }
  return true
}

/** Whether a text is one shorter text repeated. Tries every length that divides the whole. */
function isRepetition(text: string): boolean {
  if (text.length > 4096) return false
  const first = text.charCodeAt(0)
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.length % length !== 0 || text.charCodeAt(length) !== first) continue
    if (text.startsWith(text.slice(length))) return true
  }
  return false
}
