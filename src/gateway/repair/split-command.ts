import { type Pieces, type Placeholder, reference } from './pieces.ts'
import type { RequestText } from './request-text.ts'

/** A word of a command line, and where it begins in the text. */
export interface Word {
  readonly at: number
  /** No two texts follow each other. */
  readonly pieces: Pieces
}

type Parts = (string | Placeholder)[]

/** More than any command that a person wrote. */
const mostWords = 1000

/** Characters that mean something to a shell outside of quotes. */
const meanings: Readonly<Record<string, string>> = {
  '`': 'a command within the command',
  '|': 'a pipe',
  ';': 'a second command',
  '&': 'a second command',
  '<': 'a redirection',
  '>': 'a redirection',
  '(': 'a subshell',
  ')': 'a subshell',
  '*': 'a pattern of file names',
  '?': 'a pattern of file names',
  '[': 'a pattern of file names',
  '{': 'a brace that a shell may expand',
  '^': "a caret, which is an escape of Windows' command prompt",
}

const asText = 'hookdrift runs and reads nothing: quote it where it is text, else write what the request sends'

/**
 * Splits one command as a POSIX shell does, with the `$'…'` of bash. Nothing is run and nothing expanded: a variable is a
 * placeholder, and what a shell would do beyond quotes is refused.
 * @throws AuditError.usage
 */
export function splitCommand(source: RequestText, from: number): readonly Word[] {
  const { text } = source
  const words: { readonly at: number; readonly parts: Parts }[] = []
  let isOpen = false
  let at = from
  const open = (): Parts => {
    const last = isOpen ? words.at(-1) : undefined
    if (last !== undefined) return last.parts
    if (words.length === mostWords) throw source.fault(at, `the command has more than ${mostWords} words`)
    const parts: Parts = []
    words.push({ at, parts })
    isOpen = true
    return parts
  }
  while (at < text.length && text[at] !== '\n') {
    const char = text.charAt(at)
    if (char === ' ' || char === '\t') {
      isOpen = false
      at++
    } else if (char === '#' && !isOpen) {
      at = lineEnd(text, at)
    } else if (char === '\\') {
      if (text[at + 1] !== '\n') open().push(text.charAt(at + 1))
      at += 2
    } else if (char === "'") {
      const close = text.indexOf("'", at + 1)
      if (close < 0) throw unclosed(source, at)
      open().push(text.slice(at + 1, close))
      at = close + 1
    } else if (char === '"') {
      at = readQuoted(source, at, open())
    } else if (char === '$' && text[at + 1] === "'") {
      at = readEscaped(source, at, open())
    } else if (char === '$') {
      at = readVariable(source, at, open())
    } else {
      const isEmptyObject = char === '{' && text[at + 1] === '}'
      const meaning = isEmptyObject ? undefined : meanings[char]
      if (meaning !== undefined) throw source.fault(at, `${meaning} in the command`, asText)
      const run = runAt(plainRun, text, at) || char
      open().push(run)
      at += run.length
    }
  }
  refuseMore(source, at)
  return words.map((word) => ({ at: word.at, pieces: joinTexts(word.parts) }))
}

/** At most so long that a long text is a few thousand runs. */
const plainRun = /[\w,.:/@%+=!~}\]-]{1,4096}/y
const quotedRun = /[^"`$\\]{1,4096}/y
const escapedRun = /[^'\\]{1,4096}/y

function runAt(run: RegExp, text: string, at: number): string {
  run.lastIndex = at
  return run.exec(text)?.[0] ?? ''
}

function joinTexts(parts: Parts): Pieces {
  const pieces: Parts = []
  let texts: string[] = []
  const flush = () => {
    if (texts.length > 0) pieces.push(texts.join(''))
    texts = []
  }
  for (const part of parts) {
    if (typeof part === 'string') texts.push(part)
    else {
      flush()
      pieces.push(part)
    }
  }
  flush()
  return pieces
}

/** Refuses what follows the end of a command, except blank lines and comments. */
function refuseMore(source: RequestText, from: number): void {
  const { text } = source
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '#') at = lineEnd(text, at) - 1
    else if (!' \t\n'.includes(char)) {
      throw source.fault(at, 'a second command begins here', 'give one request; end each line that goes on with a `\\`')
    }
  }
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

function unclosed(source: RequestText, at: number) {
  return source.fault(at, 'the quote that begins here has no end')
}

/** Reads `"…"` into parts; gives the index behind it. */
function readQuoted(source: RequestText, from: number, parts: Parts): number {
  const { text } = source
  parts.push('')
  let at = from + 1
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') return at + 1
    if (char === '`') throw source.fault(at, 'a command within the command', asText)
    if (char === '$') {
      at = readVariable(source, at, parts)
    } else if (char === '\\' && '$`"\\\n'.includes(text.charAt(at + 1))) {
      if (text[at + 1] !== '\n') parts.push(text.charAt(at + 1))
      at += 2
    } else {
      const run = runAt(quotedRun, text, at) || char
      parts.push(run)
      at += run.length
    }
  }
  throw unclosed(source, from)
}

const variable =
  /\$(?:([A-Za-z_][A-Za-z0-9_]{0,99})(?![A-Za-z0-9_])|\{([A-Za-z_][A-Za-z0-9_]{0,99})(?::?\?[^}`$"'\\\n]{0,300})?\})/y

/** Reads what begins with `$`: a variable, or the character itself. Gives the index behind it. */
function readVariable(source: RequestText, at: number, parts: Parts): number {
  variable.lastIndex = at
  const [whole, plain, braced] = variable.exec(source.text) ?? []
  const name = plain ?? braced
  if (whole !== undefined && name !== undefined) {
    parts.push({ name })
    return at + whole.length
  }
  const next = source.text.charAt(at + 1)
  if (next === '(') throw source.fault(at, 'a command within the command', asText)
  if (/[\w{@*#?$!"'-]/.test(next)) {
    throw source.fault(
      at,
      'an expansion of the shell that is not a plain variable',
      `write ${reference({ name: 'NAME' })}, or what it holds`,
    )
  }
  parts.push('$')
  return at + 1
}

const simpleEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
}

const codeEscape = /x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})/y

/** Reads `$'…'` into parts; gives the index behind it. Escapes of single bytes beyond ASCII are refused. */
function readEscaped(source: RequestText, from: number, parts: Parts): number {
  const { text } = source
  parts.push('')
  let at = from + 2
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === "'") return at + 1
    if (char !== '\\') {
      const run = runAt(escapedRun, text, at)
      parts.push(run)
      at += run.length
      continue
    }
    const simple = simpleEscapes[text.charAt(at + 1)]
    if (simple !== undefined) {
      parts.push(simple)
      at += 2
      continue
    }
    codeEscape.lastIndex = at + 1
    const [whole = '', byte, short, long, octal] = codeEscape.exec(text) ?? []
    const code = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8)
    const isByte = byte !== undefined || octal !== undefined
    if (!(code > 0 && code <= (isByte ? 0x7f : 0x10ffff))) {
      throw source.fault(at, "an escape that hookdrift does not read in `$'…'`", 'write the character itself')
    }
    parts.push(String.fromCodePoint(code))
    at += 1 + whole.length
  }
  throw unclosed(source, from)
}
