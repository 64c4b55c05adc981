import { hash } from 'node:crypto'
import type { SecretFacts, Weakness } from '../../model/resource.ts'
import { hostOf } from './split-url.ts'

const lengthClasses = [64, 48, 32, 24, 16, 8] as const

/** Words that anyone guesses first; compared without case, digits and punctuation around them. */
const commonWords = new Set(
  `abc abcd abcdef admin administrator apikey changeme changeit convoy default demo dev development dummy example foo
  foobar guest hello hmac hunter key letmein master mysecret none null pass passwd password production qwerty root
  sample secret secretkey short signature signing signingsecret staging supersecret temp test testing testsecret
  token user webhook webhooks webhooksecret welcome whsec xxx`.split(/\s+/),
)
/** Words that templates and manuals put around them: `your-webhook-signing-secret`, `REPLACE_ME_WITH_A_RANDOM_VALUE`. */
const placeholderWords = new Set([
  ...commonWords,
  ...`a an any and api app application at auth be bit bits bytes change char characters chars client code company
  configure custom do endpoint enter event fake fill fixme for from generate generated goes here hex hook i in insecure
  insert is it jwt keys least local long longer me minimum must my new not of old only or our paste placeholder please
  private prod project public put random real replace sandbox secure secrets set shared should sign some string strong
  super tenant text that the this to todo too unsafe url use used value values verify very with you your`.split(/\s+/),
])
const longestWord = Math.max(...[...placeholderWords].map(({ length }) => length))

/** What a template, a shell or a program puts in place of a secret that it does not have, and references to a store. */
const variable =
  /^(?:\$\{.*\}|\$\(.*\)|\$[A-Z][A-Z0-9_]*|\{\{.*\}\}|#\{.*\}|%\w+%|<[^<>]+>|\[object \w+\]|[Uu]ndefined|NaN|nil|(?:process\.env|import\.meta\.env|env|secrets|vars?)\.\w+|@Microsoft\.KeyVault\(.*\)|(?:vault|op|arn|ref\+\w+|secretsmanager|secretref|ssm|gcpsm|akv|file|env):[\w/].*)$/s

/** Digests of examples from specifications and manuals, in lower case and without their prefix: no program holds them. */
const publishedExamples = new Set(
  `fb4844f5c8d3 44142af67845 9b4d1fe07ab0 d75bdee36a96 2eb6c6020c22 1f1a27b03cca 6adbfd178516 c1d2e8726375
  916b0b411ee1 ac688ac6c61f 3d14a015c7fb a64ed54f0b45 71784e6e8e92 c4bbcb1fbec9 87cbebfeebc0 cbe6beb26479 422b6cfd76dc
  f52fbd32b2b3 452b889d10df`.split(/\s+/),
)

/** Rows of keys and alphabets; a neighbour in either direction counts. */
const neighbours = new Set(
  [
    ...['abcdefghijklmnopqrstuvwxyz', '01234567890', '9abcdef0', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop'],
    ...[
      'yxcvbnm',
      'azertyuiop',
      'qsdfghjklm',
      'wxcvbn',
      '1q2w3e4r5t6y7u8i9o0p',
      '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
    ],
  ].flatMap((row) => [...row].flatMap((key, at) => [`${row[at - 1] ?? ''}${key}`, `${row[at + 1] ?? ''}${key}`])),
)

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
  const [bare, length] = signingPart(secret)
  const small = bare.toLowerCase()
  if (isCommonWord(small)) weak.push('common')
  if (/^\d+$/.test(small)) weak.push('digits')
  if (isHostOf(address, small)) weak.push('equals-host')
  if (name !== '' && small === name.toLowerCase()) weak.push('equals-name')
  if (uid !== '' && small === uid.toLowerCase()) weak.push('equals-uid')
  if (user !== '' && small === user.toLowerCase()) weak.push('equals-user')
  if (hasFewCharacters(small)) weak.push('few-characters')
  else if (isKeyboard(small)) weak.push('keyboard')
  const isVariable = variable.test(bare.trim())
  if (!isVariable && isPlaceholder(small)) weak.push('placeholder')
  if (publishedExamples.has(hash('sha256', small).slice(0, 12))) weak.push('published')
  if (isRepetition(small)) weak.push('repetition')
  if (isVariable) weak.push('variable')
  const shortest = lengthClasses.find((shortest) => length >= shortest) ?? 0
  // In canonical order, as facts are stored.
  return temporaryKey.test(secret) ? { min_length: shortest, temporary: true, weak } : { min_length: shortest, weak }
}

/** A secret without the prefix that all have, and how long that is: of Base64 behind the prefix, its bytes. */
function signingPart(secret: string): readonly [text: string, length: number] {
  if (!/^whsec_/i.test(secret)) return [secret, secret.length]
  const bare = secret.slice('whsec_'.length)
  const isBase64 = bare.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(bare)
  return [bare, isBase64 ? Buffer.byteLength(bare, 'base64') : bare.length]
}

/** Takes an address apart only if the text is in it. */
function isHostOf(address: string, text: string): boolean {
  return text !== '' && address.toLowerCase().includes(text) && hostOf(address).toLowerCase() === text
}

/** Without what is around its letters. */
function isCommonWord(text: string): boolean {
  let from = 0
  let to = text.length
  while (from < to && !isLetter(text.charCodeAt(from))) from++
  while (to > from && !isLetter(text.charCodeAt(to - 1))) to--
  return to - from <= longestWord && commonWords.has(text.slice(from, to))
}

/** Whether the letters of a text, most of it, are placeholder words one after the other. */
function isPlaceholder(text: string): boolean {
  if (text.length > 256) return false
  const letters = text.replaceAll(/[^a-z]/g, '')
  if (letters.length < 8 || letters.length * 2 < text.length || commonWords.has(letters)) return false
  // Where a word may begin. Most secrets have none behind their first letters.
  const starts = new Set([0])
  for (const start of starts) {
    for (let end = start + 1; end <= Math.min(letters.length, start + longestWord); end++) {
      if (placeholderWords.has(letters.slice(start, end))) starts.add(end)
    }
  }
  return starts.has(letters.length)
}

/** Whether at least four of five characters are next to the one before them, on a keyboard or in the alphabet. */
function isKeyboard(text: string): boolean {
  if (text.length < 6 || text.length > 256) return false
  let others = 0
  for (let at = 1; at < text.length && others * 5 <= text.length; at++) {
    if (!neighbours.has(text.slice(at - 1, at + 1))) others++
  }
  return others * 5 <= text.length
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
