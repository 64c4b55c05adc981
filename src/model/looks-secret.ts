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
  // Begins at the start of a run and looks for the dot first: else a text of nothing but `eyJ-` takes for ever.
  /(?<![\w-])(?=[\w-]+\.[\w-]{8})(?:[\w-]*-)?eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
  // "Basic authentication" is said of many an endpoint.
  /\b(?:Bearer|Basic)\s+(?!(?:authenti[a-z]+|authori[a-z]+|credentials?|passwords?|username)(?![\w+/=.~-]))[A-Za-z0-9+/=._~-]{8,}/,
  // User and password of an address that stands within a text.
  /(?<=\/\/)[^\s/@:]*:[^\s/@]+(?=@)/,
]

/** Matches every credential form; global, for replacing. */
export const credentials = new RegExp(credentialForms.map(({ source }) => source).join('|'), 'g')

const credentialHint =
  /whsec_|[rs]k_|gh[oprsu]_|github_pat_|glpat-|xox|AKIA|AIza|SG\.|CO\.|eyJ|PRIVATE KEY|Bearer|Basic|\/\/[^\s/@]*@/

/** A cheap first look that most texts do not pass. */
export function mayHoldCredential(text: string): boolean {
  return credentialHint.test(text)
}

const secretWords = new Set(
  'authorization cookie credential credentials jwt passcode passphrase privatekey pwd secrets tokens'.split(' '),
)
/** What such a word may also end in, where nobody parts the words: `accesstoken`, `dbpassword`. */
const secretEnding = /(?:apikey|passwd|password|secret|token)$/
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
  return words.some((word, place) => {
    if (secretWords.has(word) || secretEnding.test(word)) return true
    return word === 'key'
      ? keyKinds.has(words[place - 1] ?? '')
      : word.endsWith('key') && keyKinds.has(word.slice(0, -3))
  })
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/(?<!\d)\d+$/, ''))
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
  if (text.length < 20) return text
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

/** Replaces what a text says to be secret: the value behind a name that `isSecretName`. */
export function replaceAssigned(text: string, replace: (secret: string) => string): string {
  if (!/[:=]/.test(text)) return text
  const out: string[] = []
  let at = 0
  assignments.lastIndex = 0
  for (let found = assignments.exec(text); found !== null; found = assignments.exec(text)) {
    const [, name = ''] = found
    // Where it is none of ours, what follows may be the next name: `don't: token = …`.
    if (!isSecretName(name)) continue
    assigned.lastIndex = assignments.lastIndex
    const value = assigned.exec(text)?.[0] ?? ''
    if (value.startsWith('sealed:')) continue
    out.push(text.slice(at, assignments.lastIndex), replace(value))
    at = assignments.lastIndex + value.length
    assignments.lastIndex = at
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

/** Up to three words and what they are set to: `password=…`, `API key: …`. */
const assignments =
  /(?<![\w-])((?:[A-Za-z_][\w-]{0,30} ){0,2}[A-Za-z_][\w-]{0,63})(["'`]?\]?[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8}["'`]?)(?=[^\s"'`,;&]{4})/g
const assigned = /[^\s"'`,;&]+/y
