/** Credentials that can be told by their form alone, wherever they stand. */
const credentialForms = [
  /\bwhsec_[A-Za-z0-9+/=_-]{6,}/,
  /\b[rs]k_(?:live_|test_)?[A-Za-z0-9]{12,}/,
  /\bgh[oprsu]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{30,}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\bCO\.[A-Za-z0-9]{16}\.[A-Za-z0-9]{16,}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
  // "Basic authentication" is said of many an endpoint.
  /\b(?:Bearer|Basic)\s+(?!(?:authenti[a-z]+|authori[a-z]+|credentials?|passwords?|username)(?![\w+/=.~-]))[A-Za-z0-9+/=._~-]{8,}/,
]

/** Matches every credential form; global, for replacing. */
export const credentials = new RegExp(credentialForms.map(({ source }) => source).join('|'), 'g')

const credentialHint =
  /whsec_|[rs]k_|gh[oprsu]_|github_pat_|glpat-|xox|AKIA|AIza|SG\.|CO\.|eyJ|PRIVATE KEY|Bearer|Basic/

/** A cheap first look that most texts do not pass. */
export function mayHoldCredential(text: string): boolean {
  return credentialHint.test(text)
}

const secretWords = new Set(
  'apikey authorization credential credentials jwt passwd password privatekey pwd secret secrets token tokens'.split(
    ' ',
  ),
)
/** Secret in a URL's query, everyday words elsewhere. */
const secretInUrls = new Set('auth code hmac key pass pin private session sid sig signature'.split(' '))
/** What makes a `key` a secret one. */
const keyKinds = new Set('access api auth encryption private secret service shared signing webhook'.split(' '))

/** Whether a query parameter's name says that its value is secret: `access_token`, `apiKey`, `sig`. */
export function isSecretParameter(name: string): boolean {
  const words = wordsOf(name)
  return saysSecret(words) || words.some((word) => secretInUrls.has(word))
}

/** Whether the name of a member or a variable says so: `client_secret`, `apiKey`, `service_account`; not `key` alone. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  return saysSecret(words) || (words.includes('service') && words.includes('account'))
}

function saysSecret(words: readonly string[]): boolean {
  return words.some((word, place) => secretWords.has(word) || (word === 'key' && keyKinds.has(words[place - 1] ?? '')))
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}

/** Whether a text is random enough to be a key: 20 or more characters without blanks, letters and digits mixed. */
export function looksRandom(text: string): boolean {
  if (text.length < 20 || !/^[A-Za-z0-9+/=_-]+$/.test(text)) return false
  if (!/[0-9]/.test(text) || !/[A-Za-z]/.test(text)) return false
  return new Set(text).size >= 10 && (text.match(/[0-9]/g)?.length ?? 0) >= 4
}

/**
 * Replaces every word of a text that looks random, and leaves alone what is sealed already.
 * `isKept`: whether one stays readable all the same.
 */
export function replaceRandomWords(
  text: string,
  replace: (word: string) => string,
  isKept: (word: string) => boolean = () => false,
): string {
  return text.replace(longWords, (word) =>
    word.startsWith('sealed:') || !looksRandom(word) || isKept(word) ? word : replace(word),
  )
}

const longWords = /sealed:[0-9a-f]{32}|[A-Za-z0-9+/=_-]{20,}/g

/** Whether a word that looks random is a name people use: a ULID, a UUID, or words and numbers in a row (`orders-eu-2026-11-05`). */
export function isIdentifier(word: string): boolean {
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(word)) return true
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word)) return true
  return word.split(/[-_/+=]+/).every((part) => /^(?:[a-z]*|[A-Z]?[a-z]*|[A-Z]*|\d*|[A-Za-z]{1,3}\d{1,3})$/.test(part))
}
