import { findSetting, type Setting } from './find-setting.ts'
import { isSecretName, mayHoldSecretName } from './known-secrets.ts'
import { isPlain } from './plain-text.ts'
import { loginBefore, mayHoldLogin, nameBefore, shortNameIn } from './secret-before.ts'

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

interface TextSpan {
  readonly from: number
  readonly to: number
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

/** `token-service:8443`. */
function isPort(text: string, at: number): boolean {
  return text.charAt(at) === ':' && /^\d{2,5}(?!\w)/.test(text.slice(at + 1, at + 8))
}

function isShortName(name: string): boolean {
  return /^(?:[\w.-]{0,40}[_.-])?(?:pass|pw|pin)$/i.test(name)
}

/** Not `token "x"`, which messages about syntax say. */
function isPasswordName(name: string): boolean {
  return /(?:pass\w{0,8}|pwd|wort|senha|contrase\S{1,2}a|mdp)$/i.test(name)
}

function isValueName(text: string, { from }: Setting): boolean {
  return /^val(?:ue)?$/i.test(nameBefore(text, from, 1))
}

/** Whether a sign sets a name, and the name is that of a secret. */
function nextNames(text: string, { from, to }: Setting): boolean {
  if (!/^(?:name|key|header|id|variable)$/i.test(nameBefore(text, from, 1))) return false
  const start = skipAhead(text, to)
  if (quotes[text.charAt(start)] !== undefined)
    return isSecretName(text.slice(start + 1, endOfWord(text, start + 1, false)))
  return isSecretName(text.slice(start, endOfWord(text, start, false)))
}

function valueAfter(text: string, setting: Setting, claim: Claim): TextSpan | undefined {
  const value = setting.type === 'element' ? withinElement(text, setting.to) : valueBehind(text, setting, claim)
  if (value === undefined || text.startsWith('sealed:', value.from)) return undefined
  return value
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

/** Up to the closing tag. */
function withinElement(text: string, start: number): TextSpan | undefined {
  const from = text.startsWith('<![CDATA[', start) ? start + 9 : start
  let to = from
  while (to < text.length && to - from < longestInElement && text[to] !== '<') to++
  const isClosed = text.startsWith('</', to) || text.startsWith(']]>', to - 3)
  if (from > start && text.startsWith(']]>', to - 3)) to -= 3
  return isClosed && text.slice(from, to).trim() !== '' ? { from, to } : undefined
}

const longestInElement = 8192

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
