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
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9+/=._~-]{8,}/,
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
  `apikey auth authorization code credential credentials hmac jwt key pass passwd password pin private privatekey pwd
  secret session sid sig signature token`.split(/\s+/),
)

/** Whether a name (a query key, a member, a variable) says that its value is secret: `access_token`, `apiKey`, `X-Sig`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.some((word) => secretWords.has(word))
}

/** Whether a text is random enough to be a key: 20 or more characters without blanks, letters and digits mixed. */
export function looksRandom(text: string): boolean {
  if (text.length < 20 || !/^[A-Za-z0-9+/=_-]+$/.test(text)) return false
  if (!/[0-9]/.test(text) || !/[A-Za-z]/.test(text)) return false
  return new Set(text).size >= 10 && (text.match(/[0-9]/g)?.length ?? 0) >= 4
}
