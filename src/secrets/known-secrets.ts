/** Credentials whose form alone identifies them, anywhere in a text. */
const credentialForms = [
  /\bwhsec_[A-Za-z0-9+/=_-]{6,}/,
  /\b[rs]k_(?:live_|test_)?[A-Za-z0-9]{12,}/,
  /\bgh[oprsu]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bASIA[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{30,}/,
  /\bya29\.[0-9A-Za-z_-]{16,}/,
  /\bnpm_[A-Za-z0-9]{20,}/,
  /\bxapp-[A-Za-z0-9-]{10,}/,
  /\bshp(?:at|ss|ca|pa)_[A-Za-z0-9]{16,}/,
  /\bdop_v1_[a-f0-9]{32,}/,
  // Of a chat bot: its number and its key.
  /\b\d{8,10}:[A-Za-z0-9_-]{30,}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\bCO\.[A-Za-z0-9]{16}\.[A-Za-z0-9]{16,}/,
  // Begins at the start of a word and searches for the dot first: otherwise a text of only `eyJ-` takes quadratic time.
  /(?<![\w-])(?=[\w-]+\.[\w-]{8})(?:[\w-]*-)?eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
  // Many descriptions contain "Basic authentication".
  /\b(?:Bearer|Basic)\s+(?!(?:authenti[a-z]+|authori[a-z]+|credentials?|passwords?|username)(?![\w+/=.~-]))[A-Za-z0-9+/=._~-]{8,}/,
  // User and password of an address within a text. The symbols of Base64 around a sealed random text are no secret.
  /(?<=\/\/)(?!\+{0,3}sealed:[0-9a-f]{32}[+=]{0,3}@)[^\s/@]+(?=@)/,
]

/** Matches every credential form; global, for replacing. */
export const credentials = new RegExp(credentialForms.map(({ source }) => source).join('|'), 'g')

/**
 * For each form, a character that few texts have, with a neighbour that it has there. An expression whose alternatives
 * begin with different characters takes half the time of one that spells the forms.
 */
const credentialHint = /[_@]|[:.](?<=\d:|[9GO]\.)|-(?<=[apx].-)|A[KSI]|B[ea]|J(?<=yJ)|PR/

/** A cheap first check; most texts fail it. */
export function mayHoldCredential(text: string): boolean {
  return credentialHint.test(text)
}

/** Whether a text contains anything in the form of a credential. At most 64 KiB. */
export function holdsCredential(text: string): boolean {
  return mayHoldCredential(text) && credentialForm.test(text)
}

const credentialForm = new RegExp(credentials.source)

const secretWords = new Set(
  'authorization cookie credential credentials jwt passcode passphrase privatekey pwd secrets tokens'.split(' '),
)
/** Endings of such words where several are written as one: `accesstoken`, `dbpassword`. */
const secretEnding = /(?:apikey|passwd|password|secret|token)$/
/** Secret in a URL's query, everyday words elsewhere. */
const secretInUrls = new Set('auth code hmac key pass pin private session sid sig signature'.split(' '))
/** Words that make a `key` a secret one. */
const keyKinds = new Set(
  'access api auth encryption hmac master private secret service shared signing ssh webhook'.split(' '),
)
/** Words that make a `key` harmless: it finds, sorts or deduplicates things. */
const harmlessKeys = new Set(
  'cache dedup foreign idempotency lookup message object partition primary public routing sort'.split(' '),
)
/** May mean a secret in an unknown field. */
const suspectWords = new Set('bearer certificate otp salt seed signing ssh'.split(' '))

/** Whether a query parameter's name says that its value is secret: `access_token`, `apiKey`, `sig`. */
export function isSecretParameter(name: string): boolean {
  const words = wordsOf(name)
  return saysSecret(words) || words.some((word) => secretInUrls.has(word))
}

/** Whether a member's or variable's name marks a secret: `client_secret`, `apiKey`; not `key` alone. */
export function isSecretName(name: string): boolean {
  if (!mayHoldSecretName(name)) return false
  const words = wordsOf(name)
  return saysSecret(words) || (words.includes('service') && words.includes('account'))
}

/** Whether the name of an unknown field may mean a secret: all names that are secret in a URL, and any `key`. */
export function mayNameSecret(name: string): boolean {
  const words = wordsOf(name)
  if (saysSecret(words)) return true
  return words.some((word, place) => {
    if (suspectWords.has(word) || (secretInUrls.has(word) && word !== 'key' && word !== 'code')) return true
    return /keys?$/.test(word) && !harmlessKeys.has(words[place - 1] ?? '') && words[place + 1] !== 'id'
  })
}

/** A cheap first check: whether a text contains what every name contains that `isSecretName` knows. */
export function mayHoldSecretName(text: string): boolean {
  return /auth|cookie|cred|jwt|pass|key|pwd|secret|token|account/.test(text.toLowerCase())
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
