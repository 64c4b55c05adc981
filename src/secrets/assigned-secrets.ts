import { isSecretName } from './known-secrets.ts'
import { isPlain } from './plain-text.ts'

/**
 * Replaces the values that a text itself calls secret: those after a name that `isSecretName`, as in `password: x`,
 * `API key (prod): x`, `token = "two words"`, `password is x1y2`. It scans back and ahead a bounded way, so it takes
 * linear time.
 */
export function replaceAssigned(text: string, replace: (secret: string) => string): string {
  const out: string[] = []
  let at = 0
  for (let sign = nextSign(text, 0); sign !== undefined; sign = nextSign(text, Math.max(sign.to, at))) {
    const value = isSecretName(nameBefore(text, sign.from)) ? valueBehind(text, sign) : undefined
    if (value === undefined) continue
    out.push(text.slice(at, value.from), replace(text.slice(value.from, value.to)))
    at = value.to
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

interface TextSpan {
  readonly from: number
  readonly to: number
}

interface Sign extends TextSpan {
  readonly isWord: boolean
}

/** The next sign that sets a value: `:`, `=`, `:=`, `=>`, `==`, or the word `is`. */
function nextSign(text: string, start: number): Sign | undefined {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // The colon of a seal does not set a value.
    if (code === colon && text.startsWith('sealed', i - 6)) continue
    if (code === colon || code === equals) {
      let to = i + 1
      while (to < i + 3 && signs.includes(text.charAt(to)) && to < text.length) to++
      return { from: i, to, isWord: false }
    }
    if (code === blank && text.startsWith(' is ', i)) return { from: i, to: i + 4, isWord: true }
  }
  return undefined
}

const colon = 0x3a
const equals = 0x3d
const blank = 0x20
const signs = '=>'

/** The words before the sign: three at most, without quotes, brackets and a remark in parentheses. */
function nameBefore(text: string, end: number): string {
  let to = skipBack(text, end, blanks)
  if (text[to - 1] === ')') {
    const opened = text.lastIndexOf('(', to)
    if (opened >= 0 && to - opened <= 48) to = skipBack(text, opened, blanks)
  }
  to = skipBack(text, to, closing)
  let from = to
  for (let words = 0; words < 3; words++) {
    const start = skipBack(text, from, nameCharacters, 64)
    if (start === from) break
    from = start
    if (text[from - 1] !== ' ') break
    from--
  }
  return text.slice(from, to)
}

const blanks = /[ \t!]/
const closing = /["'`\]]/
const nameCharacters = /[\w-]/

function skipBack(text: string, end: number, characters: RegExp, most = 8): number {
  let at = end
  while (at > 0 && end - at < most && characters.test(text.charAt(at - 1))) at--
  return at
}

/** undefined without a value, for a seal, and for an ordinary word. */
function valueBehind(text: string, { to, isWord }: Sign): TextSpan | undefined {
  let from = to
  while (from < text.length && from - to < 8 && /\s/.test(text.charAt(from))) from++
  const isNextLine = text.slice(to, from).includes('\n')
  const quote = text.charAt(from)
  if (/["'`]/.test(quote)) return quoted(text, from + 1, quote)
  const end = endOfWord(text, from)
  const word = text.slice(from, end)
  if (word.length < 4 || word.startsWith('sealed:')) return undefined
  if ((isWord || isNextLine) && isPlain(word)) return undefined
  // `Authorization: Token abc`: the scheme is not secret, the text after it is.
  if (/^(?:bearer|basic|token|digest|apikey|key)$/i.test(word) && text[end] === ' ') {
    const next = endOfWord(text, end + 1)
    return next - end > 4 && !text.startsWith('sealed:', end + 1) ? { from: end + 1, to: next } : undefined
  }
  return { from, to: end }
}

function quoted(text: string, from: number, quote: string): TextSpan | undefined {
  let to = from
  while (to < text.length && text[to] !== quote && text[to] !== '\n') to++
  return to - from < 1 || text.startsWith('sealed:', from) ? undefined : { from, to }
}

function endOfWord(text: string, from: number): number {
  let to = from
  while (to < text.length && !endsWord.test(text.charAt(to))) to++
  return to
}

const endsWord = /[\s"'`,;&]/
