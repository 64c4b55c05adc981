/** Credentials whose form alone identifies them, anywhere in a text. */
const credentialForms = [
  /\bwhsec_[A-Za-z0-9+/=_-]{6,}/,
  // `sk_notifications` is the name of something in Slovakia.
  /\b[rs]k_(?:(?:live|test)_|(?=[A-Za-z]*\d))[A-Za-z0-9]{12,}/,
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
  /\bsk-(?:(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{32,})/,
  /\bhv[sbr]\.[A-Za-z0-9_-]{16,}/,
  /\bpypi-[A-Za-z0-9_-]{16,}/,
  /\bPMAK-[a-f0-9-]{24,}/,
  /\bATATT3[A-Za-z0-9_=-]{16,}/,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{16,}/,
  /\bsq0(?:csp|atp|idp)-[A-Za-z0-9_-]{16,}/,
  /\b(?:hf|lin_api)_[A-Za-z0-9]{20,}/,
  /\b(?:key-|dapi)[a-f0-9]{32}/,
  // Of a password: as bcrypt, crypt, Argon2 and scrypt write it.
  /\$(?:2[abxy]|[156y]|argon2(?:id|[di])|scrypt)\$[A-Za-z0-9./+,=$-]{20,}/,
  /\bshp(?:at|ss|ca|pa)_[A-Za-z0-9]{16,}/,
  /\bdop_v1_[a-f0-9]{32,}/,
  // Of a chat bot: its number and its key.
  /\b\d{8,10}:[A-Za-z0-9_-]{30,}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\bCO\.[A-Za-z0-9]{16}\.[A-Za-z0-9]{16,}/,
  // Begins at the start of a word and searches for the dot first: otherwise a text of only `eyJ-` takes quadratic time.
  /(?<![\w-])(?=[\w-]+\.\.?[\w-]{8})(?:[\w-]*-)?eyJ[\w-]{8,}\.(?:[\w-]{8,}|\.[\w-]{8,})(?:\.[\w-]*){0,3}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
  // Many descriptions contain "Basic authentication", and names "Basic notifications".
  /\bBearer\s+(?!(?:[Aa]uthenti[a-z]+|[Aa]uthori[a-z]+|[Cc]redentials?|[Pp]asswords?|[Uu]sername)(?![\w+/=~-]|\.\w))[A-Za-z0-9+/=._~-]{8,}/,
  /\bBasic\s+(?![A-Z]?[a-z]+(?:[./-][A-Z]?[a-z]+)*(?![\w+/=~-]|\.\w))[A-Za-z0-9+/=._~-]{8,}/,
  // User and password of an address within a text. The symbols of Base64 around a sealed random text are no secret.
  /(?<=\/\/)(?!\+{0,3}sealed:[0-9a-f]{32}[+=]{0,3}@)[^\s/@]+(?=@)/,
]

/** Matches every credential form; global, for replacing. */
export const credentials = new RegExp(credentialForms.map(({ source }) => source).join('|'), 'g')

/**
 * For each form, a character that few texts have, with a neighbour that it has there. An expression whose alternatives
 * begin with different characters takes half the time of one that spells the forms.
 */
const credentialHint =
  /[_@]|[:.](?<=\d:|[9GO]\.|hv[bsr]\.)|-(?<=[apx].-|sk-|ey-|[AG][KE]-|[dst]p-)|\$[12567ayes]|A[KSI]|B[ea]|J(?<=yJ)|PR|TT3|dapi/

/** A cheap first check; most texts fail it. */
export function mayHoldCredential(text: string): boolean {
  return credentialHint.test(text)
}

/** Whether a text contains anything in the form of a credential. At most 64 KiB. */
export function holdsCredential(text: string): boolean {
  return mayHoldCredential(text) && credentialForm.test(text)
}

const credentialForm = new RegExp(credentials.source)

/** Also in the languages of those who run gateways; without accents, as `wordsOfName` has them. */
const secretWords = new Set(
  `authorization cookie credential credentials jwt passcode passphrase privatekey pwd secrets tokens
  passwort kennwort losungswort geheimnis geheimwort zugangsdaten anmeldedaten
  mdp motdepasse jeton secrete contrasena secreto secreta credenciales
  segreto segreta credenziali senha segredo credenciais wachtwoord haslo heslo losenord passord adgangskode salasana
  sifre`.split(/\s+/),
)
/** Endings of such words where several are written as one: `accesstoken`, `dbpassword`. */
const secretEnding =
  /(?:apikey|passwd|password|secret|token|passwort|kennwort|(?:api|geheim|privat|signatur|zugangs|zugriffs)schlu?e?ssel)$/
/** Words that say it together: `mot de passe`, `palavra-passe`. */
const secretPhrases = / (?:(?:mot|phrase) de passe|palavra passe|parola d ordine) /
/** Keys in these languages are secret next to a word that makes them so: `clé d'API`, `chave de acesso`. */
const foreignKeys = new Set('schlussel schluessel cle clave llave chiave chave sleutel'.split(' '))
const foreignKinds = new Set('api acces acceso acesso accesso access prive privee privada privata privat'.split(' '))
/** In scripts that have no small letters, or no words between blanks. */
const otherScripts = /hasło|пароль|密码|密碼|パスワード|비밀번호|암호/i
/** Secret in a URL's query, everyday words elsewhere. */
const secretInUrls = new Set('auth code hmac key pass pin private session sid sig signature'.split(' '))
/** Words that make a `key` a secret one. */
const keyKinds = new Set(
  'access account api auth encryption hmac master private secret service shared signing ssh webhook'.split(' '),
)
/** Words that make a `key` harmless: it finds, sorts or deduplicates things. */
const harmlessKeys = new Set(
  'cache dedup foreign idempotency lookup message object partition primary public routing sort'.split(' '),
)
/** May mean a secret in an unknown field. */
const suspectWords = new Set('bearer certificate otp salt seed signing ssh'.split(' '))

/** Whether a query parameter's name says that its value is secret: `access_token`, `apiKey`, `sig`. */
export function isSecretParameter(name: string): boolean {
  const words = wordsOfName(name)
  return saysSecret(words) || words.some((word) => secretInUrls.has(word))
}

/** Whether a member's or variable's name marks a secret: `client_secret`, `apiKey`; not `key` alone. */
export function isSecretName(name: string): boolean {
  if (!mayHoldSecretName(name)) return false
  const words = wordsOfName(name)
  return saysSecret(words) || (words.includes('service') && words.includes('account')) || otherScripts.test(name)
}

/** Whether the name of an unknown field may mean a secret: all names that are secret in a URL, and any `key`. */
export function mayNameSecret(name: string): boolean {
  const words = wordsOfName(name)
  if (saysSecret(words)) return true
  return words.some((word, index) => {
    if (suspectWords.has(word) || (secretInUrls.has(word) && word !== 'key' && word !== 'code')) return true
    return /keys?$/.test(word) && !harmlessKeys.has(words[index - 1] ?? '') && words[index + 1] !== 'id'
  })
}

/** A cheap first check: whether a text contains what every name contains that `isSecretName` knows. */
export function mayHoldSecretName(text: string): boolean {
  return secretHint.test(text)
}

const secretHint =
  /auth|cookie|cred|jwt|pass|key|pwd|secre|token|account|woord|wort|geheim|segre|senha|contrase|mdp|jeton|cl[eé]|[cl][lh]ave|chiave|schl|sleutel|daten|has[lł]|heslo|l[oö]senord|adgang|salasan|[sş]ifre|parola|palavra|[^\0-\u024f]/i

/** The words of a name in small letters, without accents and the numbers at their ends: `dbPassword2` is `db`, `password`. */
function wordsOfName(name: string): string[] {
  return withoutAccents(name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/(?<!\d)\d+$/, ''))
}

/** `contraseña` is `contrasena`. */
function withoutAccents(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFKD').replace(/\p{M}/gu, '') : text
}

function saysSecret(words: readonly string[]): boolean {
  if (words.some((word, index) => isSecretWord(word, words[index - 1] ?? ''))) return true
  if (words.length < 2) return false
  const keyAt = words.findIndex((word) => foreignKeys.has(word))
  if (keyAt >= 0 && words.slice(Math.max(0, keyAt - 1), keyAt + 3).some((word) => foreignKinds.has(word))) return true
  return words.includes('passe') || words.includes('ordine') ? secretPhrases.test(` ${words.join(' ')} `) : false
}

function isSecretWord(word: string, before: string): boolean {
  if (secretWords.has(word) || secretEnding.test(word)) return true
  return word === 'key' ? keyKinds.has(before) : word.endsWith('key') && keyKinds.has(word.slice(0, -3))
}
