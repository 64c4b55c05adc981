import { isSecretName, mayHoldSecretName } from './known-secrets.ts'
import { isPlain } from './plain-text.ts'

/**
 * Replaces the values that a text itself calls secret: those that follow a secret's name, in the ways in which people
 * write it (`password: x`, `API key (prod): x`, `export DB_PASS=x`, `--token x`, `<password>x</password>`,
 * `**Passwort:** x`, `login: admin/x1y2`). It scans back and ahead a bounded way, so it takes linear time.
 */
export function replaceAssigned(text: string, replace: (secret: string) => string): string {
  if (text.length < shortest || !maySet.test(text)) return text
  if (!mayHoldSecretName(text) && !mayHoldLogin(text)) return text
  const out: string[] = []
  let at = 0
  let isNamed = false
  for (
    let sign = findSetting(text, 0);
    sign !== undefined;
    sign = findSetting(text, Math.max(sign.from + 1, sign.to, at))
  ) {
    const claim = claimOf(text, sign, isNamed)
    const value = claim === undefined ? undefined : valueAfter(text, sign, claim)
    // `name: DB_PASSWORD`, and `value: …` next to it.
    if (sign.type === 'sign') isNamed = nextNames(text, sign) || (isNamed && !isValueName(text, sign))
    if (value === undefined) continue
    out.push(text.slice(at, value.from), replace(text.slice(value.from, value.to)))
    at = value.to
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

/** `pw: 1234`, without the blank. */
const shortest = 7
/** A cheap first check: whether a text has what `findSetting` finds. */
const maySet = /[:=>|/"'`→⇒➜➔]| [-–—iwleèéIWLE]|-[-pPuU]/

/** A cheap first check: whether a text contains what `loginBefore` or an option of a command needs. */
function mayHoldLogin(text: string): boolean {
  return /login|logon|user|cred|account|basic|pin|puk|pw|zugang|anmeld|benutzer|identifiant|compte|usuario|cuenta|utente|utilizador|acc?[eè]s|(?:^|[^a-z\d])-[pu]/i.test(
    text,
  )
}

/** An index in a text where a value may follow the name of a secret. */
interface Setting {
  /**
   * - `sign`: `:`, `=`, `:=`, `=>`, `->`
   * - `word`: ` is ` and its like
   * - `dash`, `cell`: ` - `, ` | `
   * - `quote`: an opening quote behind a word
   * - `element`: the end of an opening tag
   * - `option`, `short option`: `--name `, `-p `
   * - `slash`: as between user and password
   */
  readonly type: 'sign' | 'word' | 'dash' | 'cell' | 'quote' | 'element' | 'option' | 'short option' | 'slash'
  readonly from: number
  /** Where the value may begin, behind blanks. */
  readonly to: number
  /** Of an option or an element; else empty, because it is before `from`. */
  readonly name: string
}

function sign(text: string, at: number): Setting {
  let to = at + 1
  while (to < at + 3 && (text[to] === '=' || text[to] === '>')) to++
  return setting('sign', at, to)
}

function setting(type: Setting['type'], from: number, to: number, name = ''): Setting {
  return { type, from, to, name }
}

/** 0 for characters at which none begins. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => (' :=>-|/"\'`'.includes(String.fromCharCode(code)) ? 1 : 0))

/** The first one from an index on. */
function findSetting(text: string, start: number): Setting | undefined {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (kinds[code] === 0) continue
    const found = settingAt(text, at, code)
    if (found !== undefined) return found
  }
  return undefined
}

const codes = { blank: 0x20, colon: 0x3a, equals: 0x3d, greater: 0x3e, hyphen: 0x2d, bar: 0x7c, slash: 0x2f } as const

const otherSigns = '→⇒➜➔'

function settingAt(text: string, at: number, code: number): Setting | undefined {
  switch (code) {
    case codes.colon:
    case codes.equals:
      // The colon of a seal does not set a value.
      return code === codes.colon && text.startsWith('sealed', at - 6) ? undefined : sign(text, at)
    case codes.hyphen:
      if (text[at + 1] === '>') return setting('sign', at, at + 2)
      return optionAt(text, at)
    case codes.greater:
      return elementAt(text, at)
    case codes.bar:
      return text[at + 1] === ' ' && text[at - 1] === ' ' ? setting('cell', at, at + 1) : undefined
    case codes.slash:
      return text[at + 1] === '/' || text[at - 1] === '/' || text[at - 1] === '<'
        ? undefined
        : setting('slash', at, at + 1)
    case codes.blank:
      return wordAt(text, at)
    default:
      if (code < 128) return text[at - 1] === ' ' ? setting('quote', at, at) : undefined
      return otherSigns.includes(text.charAt(at)) ? setting('sign', at, at + 1) : undefined
  }
}

/** `--db-password x`, `-p x`, `-u user:x`; not as a hyphen within a word. */
function optionAt(text: string, at: number): Setting | undefined {
  if (at > 0 && /[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return undefined
  const [whole, short, long] = /^(?:--?([pPuU])|--([A-Za-z][\w-]{0,40}))[^\S\r\n]/.exec(text.slice(at, at + 45)) ?? []
  if (whole === undefined) return undefined
  const isUser = long === 'user' || long === 'proxy-user'
  return setting(short !== undefined || isUser ? 'short option' : 'option', at, at + whole.length, short ?? long)
}

const longestTag = 96

/** The name of the tag that ends here. */
function elementAt(text: string, at: number): Setting | undefined {
  let from = at - 1
  while (from >= 0 && at - from < longestTag && text[from] !== '<' && text[from] !== '>') from--
  if (text[from] !== '<' || text[at - 1] === '/') return undefined
  const name = /^[A-Za-z][\w.:-]{0,60}/.exec(text.slice(from + 1, at))?.[0]
  return name === undefined ? undefined : setting('element', at, at + 1, name)
}

const longestVerb = 6

/** In the six languages whose names of secrets are known: is, was, reads. */
const verbs = new Set('is was ist war lautet est était etait es era è é era'.split(' '))

function wordAt(text: string, at: number): Setting | undefined {
  const next = text.charAt(at + 1)
  if ((next === '-' || next === '–' || next === '—') && text[at + 2] === ' ') return setting('dash', at, at + 3)
  if (!/[iwleèéIWLE]/.test(next)) return undefined
  const end = text.indexOf(' ', at + 1)
  if (end < 0 || end - at - 1 > longestVerb || !verbs.has(text.slice(at + 1, end).toLowerCase())) return undefined
  return setting('word', at, end + 1)
}

/** Which values are secret: all, all but plain words without quotes, or all but plain ones. */
type Claim = 'all' | 'odd or quoted' | 'odd'

/** What the words before a sign say of the value behind it; undefined where they say nothing. */
function claimOf(text: string, { type, from, name }: Setting, isNamed: boolean): Claim | undefined {
  if (type === 'option' || type === 'element') return isSecretName(name) || isShortName(name) ? 'all' : undefined
  if (type === 'short option') return 'all'
  if (type === 'slash') return loginBefore(text, from)
  const near = nameBefore(text, from, 3)
  if (type === 'quote') return isSecretName(near) ? (isPasswordName(near) ? 'all' : 'odd') : undefined
  if (isSecretName(near)) {
    if (type === 'sign') return isPort(text, from) && !isPasswordName(near) ? undefined : 'all'
    return type === 'word' ? 'odd or quoted' : 'odd'
  }
  const short = shortNameIn(near)
  if (short !== undefined) return type === 'sign' && short === 'alone' ? 'all' : 'odd'
  if (type === 'sign' && isNamed && /^val(?:ue)?$/i.test(near)) return 'all'
  if (type === 'sign' && text.charAt(from) === ':') {
    const login = loginBefore(text, from)
    if (login !== undefined) return login
  }
  return type !== 'dash' && type !== 'cell' && isSecretName(nameBefore(text, from, 7)) ? 'odd' : undefined
}

function isShortName(name: string): boolean {
  return /(?:^|[^a-z\d])(?:pass|pw|pin)$/i.test(name)
}

const userCharacters = /[\w.@+-]/

const blanks = /[ \t!?]/
const closing = /["'`\]*\\”“»’]/
const nameCharacters = /[\w\p{L}\p{M}'’-]/u

const logins =
  /^(?:.{0,24}[^\p{L}\d])?(?:login|logon|users?|username|account|creds?|credentials?|auth|basic|zugang|zugangsdaten|anmeldung|benutzer|identifiants?|compte|acc[eè]s|usuario|cuenta|acceso|credenciales|utente|accesso|credenziali|utilizador|acesso|credenciais)$/iu

/**
 * What the words before `user/…` or `user:…` say of the part behind the sign at an index: it is a password where they
 * announce a user (`login admin/x1y2`, `credentials: root / x1y2`).
 */
function loginBefore(text: string, sign: number): 'all' | 'odd' | undefined {
  const end = text[sign - 1] === ' ' ? sign - 1 : sign
  const user = skipBack(text, end, userCharacters, 64)
  if (user === end) return undefined
  let to = skipBack(text, user, blanks)
  if (text[to - 1] === ':' || text[to - 1] === '=') to = skipBack(text, to - 1, blanks)
  if (to === user) return undefined
  to = skipBack(text, to, closing)
  const from = skipBack(text, to, nameCharacters, 32)
  return logins.test(text.slice(from, to)) ? 'odd' : undefined
}

function skipBack(text: string, end: number, characters: RegExp, most = 8): number {
  let at = end
  while (at > 0 && end - at < most && characters.test(text.charAt(at - 1))) at--
  return at
}

/**
 * The words before an index: at most so many, without quotes, brackets, the signs of Markdown, and a remark in
 * parentheses. They end at any other sign.
 */
function nameBefore(text: string, end: number, most: number): string {
  let to = skipBack(text, end, blanks)
  if (text[to - 1] === ')') {
    const opened = text.lastIndexOf('(', to)
    if (opened >= 0 && to - opened <= 48) to = skipBack(text, opened, blanks)
  }
  to = skipBack(text, to, closing)
  let from = to
  for (let words = 0; words < most; words++) {
    const start = skipBack(text, from, nameCharacters, 64)
    if (start === from) break
    from = start
    if (text[from - 1] !== ' ') break
    from--
  }
  return text.slice(from, to).trimStart()
}

/** Not `token "x"`, which messages about syntax say. */
function isPasswordName(name: string): boolean {
  return /(?:pass\w{0,8}|pwd|wort|senha|contrase\S{1,2}a|mdp)$/i.test(name)
}

/** `token-service:8443`. */
function isPort(text: string, at: number): boolean {
  return text.charAt(at) === ':' && /^\d{2,5}(?!\w)/.test(text.slice(at + 1, at + 8))
}

/**
 * Whether words before a sign end in a short name that is an everyday word too (`pass`, `pin`): `alone` where it is a
 * part of a variable's name or the only word, so that it can hardly be one of a sentence.
 */
function shortNameIn(words: string): 'alone' | 'within a sentence' | undefined {
  const name = words.slice(words.lastIndexOf(' ') + 1)
  if (name.length > 64 || !/(?:^|[^\p{L}\d]|(?=P))(?:pass|pw|pin|puk|clave|identifiants)$/iu.test(name))
    return undefined
  return name === words || /[_.-]|[a-z][A-Z]/.test(name) ? 'alone' : 'within a sentence'
}

interface TextSpan {
  readonly from: number
  readonly to: number
}

function valueAfter(text: string, setting: Setting, claim: Claim): TextSpan | undefined {
  const value = setting.type === 'element' ? withinElement(text, setting.to) : valueBehind(text, setting, claim)
  if (value === undefined || text.startsWith('sealed:', value.from)) return undefined
  return value
}

const longestInElement = 8192

/** Up to the closing tag. */
function withinElement(text: string, start: number): TextSpan | undefined {
  const from = text.startsWith('<![CDATA[', start) ? start + 9 : start
  let to = from
  while (to < text.length && to - from < longestInElement && text[to] !== '<') to++
  const isClosed = text.startsWith('</', to) || text.startsWith(']]>', to - 3)
  if (from > start && text.startsWith(']]>', to - 3)) to -= 3
  return isClosed && text.slice(from, to).trim() !== '' ? { from, to } : undefined
}

/** Quotes, and those that close them. */
const quotes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”“',
  '„': '“”',
  '‘': '’',
  '«': '»',
  '‹': '›',
}

/** undefined without a value, and for an ordinary word where the claim leaves it out. */
function valueBehind(text: string, { type, to, name }: Setting, claim: Claim): TextSpan | undefined {
  const from = skipAhead(text, to)
  const quote = text.charAt(from)
  const closing = quotes[quote]
  if (closing !== undefined) {
    const inside = quoted(text, from + 1, closing)
    const isLeft = claim === 'odd' && inside !== undefined && isPlain(text.slice(inside.from, inside.to))
    return isLeft ? undefined : inside
  }
  const isNextLine = text.slice(to, from).includes('\n')
  const end = endOfWord(text, from, text.charAt(to - 1) === '=')
  const word = text.slice(from, end)
  if (type === 'short option') return valueOfOption(word, name, from)
  if (word.length < 4) return undefined
  if ((claim !== 'all' || isNextLine) && isPlain(word)) return undefined
  if (type === 'option' && (word.startsWith('-') || isWordOfOptions(word))) return undefined
  // `Authorization: Token abc`: the scheme is not secret, the text after it is.
  if (/^(?:bearer|basic|token|digest|apikey|key)$/i.test(word) && text[end] === ' ') {
    const next = endOfWord(text, end + 1, false)
    return next - end > 4 ? { from: end + 1, to: next } : undefined
  }
  return { from, to: end }
}

/** Behind blanks, and behind the signs of Markdown, JSON and YAML that open a value. */
function skipAhead(text: string, start: number): number {
  let from = start
  while (from < text.length && from - start < 12 && opensValue(text, from)) from++
  return from
}

function opensValue(text: string, at: number): boolean {
  const character = text.charAt(at)
  if (character === '[' || character === '(') return quotes[text.charAt(at + 1)] !== undefined
  return /[\s*|\\>]/.test(character)
}

function quoted(text: string, from: number, closing: string): TextSpan | undefined {
  let to = from
  while (to < text.length && !closing.includes(text.charAt(to)) && text[to] !== '\n') to++
  // A quote in JSON within JSON.
  if (text[to - 1] === '\\') to--
  return to - from < 1 ? undefined : { from, to }
}

/** A separator ends a word where something follows that looks like the next of a list. */
function endOfWord(text: string, from: number, isInList: boolean): number {
  let to = from
  for (; to < text.length; to++) {
    const character = text.charAt(to)
    if (/[\s"'`”“’»]/.test(character) || (character === '<' && text[to + 1] === '/')) break
    if ((character === ',' || character === ';') && endsItem(text, to + 1)) break
    if (character === '&' && isInList && /^[\w.%[\]-]{1,64}(?:=|$|\s)/.test(text.slice(to + 1, to + 66))) break
  }
  return to
}

function endsItem(text: string, at: number): boolean {
  return /^(?:$|[\s"'`]|[\w -]{1,40}[:=])/.test(text.slice(at, at + 42))
}

/** Of `-p`, which may have a port or a path; of `-u` and `--user`, the text behind the user. */
function valueOfOption(word: string, name: string, from: number): TextSpan | undefined {
  const to = from + word.length
  if (name.toLowerCase() !== 'p') {
    const colon = word.indexOf(':')
    return colon > 0 && word.length - colon > 2 ? { from: from + colon + 1, to } : undefined
  }
  const isOther = word.length < 4 || /^[-/.~$]|^[\d:]{1,24}(?:\/(?:tcp|udp))?$/.test(word)
  return isOther ? undefined : { from, to }
}

/** Words that follow the name of an option in a sentence about it. */
function isWordOfOptions(word: string): boolean {
  return /^(?:option|flag|argument|parameter|switch|from|with|instead|must|should)s?$/i.test(word)
}

/** Whether a sign sets a name, and the name is that of a secret. */
function nextNames(text: string, { from, to }: Setting): boolean {
  if (!/^(?:name|key|header|id|variable)$/i.test(nameBefore(text, from, 1))) return false
  const start = skipAhead(text, to)
  if (quotes[text.charAt(start)] !== undefined)
    return isSecretName(text.slice(start + 1, endOfWord(text, start + 1, false)))
  return isSecretName(text.slice(start, endOfWord(text, start, false)))
}

function isValueName(text: string, { from }: Setting): boolean {
  return /^val(?:ue)?$/i.test(nameBefore(text, from, 1))
}
