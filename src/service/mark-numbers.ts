import { escapeText, exactNumber } from '../model/exact-number.ts'

/** Characters that a mark adds to a number, and an escape to a text: the quotes are part of it. */
const markLength = '"number:"'.length
const escapeLength = 'text:'.length

/**
 * The same JSON with each number that no double holds as a marked text, and each text that looks like one escaped. For
 * valid JSON only, with the counts of a scan of it.
 */
export function markNumbers(bytes: Buffer, counts: { inexactNumbers: number; misleadingTexts: number }): Buffer {
  const out = Buffer.allocUnsafe(
    bytes.length + counts.inexactNumbers * markLength + counts.misleadingTexts * escapeLength,
  )
  let copied = 0
  let written = 0
  const put = (from: number, to: number, text: string) => {
    written += bytes.copy(out, written, copied, from)
    written += out.write(text, written, 'latin1')
    copied = to
  }
  let i = 0
  while (i < bytes.length) {
    const start = i
    const byte = bytes[i++]
    if (byte === quote) {
      i = endOfString(bytes, i)
      if (mayMisleadAt(bytes, start + 1) && !isName(bytes, i) && isMisleading(bytes, start, i)) {
        put(start + 1, start + 1, 'text:')
      }
    } else if (byte === minus || isDigit(byte)) {
      while (isNumberByte(bytes[i])) i++
      const digits = byte === minus ? start + 1 : start
      if (needsMark(bytes, digits, i)) put(start, i, `"number:${bytes.toString('latin1', start, i)}"`)
    }
  }
  written += bytes.copy(out, written, copied)
  return out.subarray(0, written)
}

/** Whether a number without its sign is none that a double holds. Most are short and need no closer look. */
export function needsMark(bytes: Buffer, start: number, end: number): boolean {
  if (isSurelyHeld(bytes, start, end)) return false
  return typeof exactNumber(bytes.toString('latin1', start, end)) === 'string'
}

/** A double holds every decimal of 15 digits; with an exponent of two digits it lies far from the limits. */
function isSurelyHeld(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte === lowerE || byte === upperE) return i - start <= 15 && end - i <= '+10'.length
  }
  return end - start <= 15
}

/** What a number may consist of behind its first character. */
export function isNumberByte(byte: number | undefined): boolean {
  return isDigit(byte) || byte === point || byte === lowerE || byte === upperE || byte === plus || byte === minus
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine
}

/**
 * Whether a string that begins at `at`, behind its quote, may look like a marked number or an escaped text. No service
 * writes letters as escapes, but one could.
 */
export function mayMisleadAt(bytes: Buffer, at: number): boolean {
  const first = bytes[at]
  if (first === lowerN) return mayGoOn(bytes, at + 1, 'umber:')
  if (first === lowerT) return mayGoOn(bytes, at + 1, 'ext:')
  return first === backslash && isLetterEscape(bytes, at)
}

/** Whether these letters follow, or some of them and then one that is an escape. */
function mayGoOn(bytes: Buffer, from: number, letters: string): boolean {
  for (let i = 0; i < letters.length; i++) {
    const byte = bytes[from + i]
    if (byte === backslash) return isLetterEscape(bytes, from + i)
    if (byte !== letters.charCodeAt(i)) return false
  }
  return true
}

/** `\u006e`: a small letter, or the colon. */
function isLetterEscape(bytes: Buffer, at: number): boolean {
  const [u, first, second, third] = [bytes[at + 1], bytes[at + 2], bytes[at + 3], bytes[at + 4]]
  if (u !== 0x75 || first !== zero || second !== zero) return false
  return third === 0x33 || third === 0x36 || third === 0x37
}

/** Whether the string that ends here names a member, which is no value. */
function isName(bytes: Buffer, end: number): boolean {
  let i = end
  while (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09) i++
  return bytes[i] === colon
}

/** A literal longer than this is no escaped number, however its letters are written. */
const longestLiteral = 10_000

function isMisleading(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > longestLiteral) return false
  const text: unknown = JSON.parse(bytes.toString('utf8', start, end))
  return typeof text === 'string' && escapeText(text) !== text
}

/** Behind the closing quote. */
function endOfString(bytes: Buffer, from: number): number {
  let i = from
  while (i < bytes.length && bytes[i] !== quote) i += bytes[i] === backslash ? 2 : 1
  return i + 1
}

const quote = 0x22
const plus = 0x2b
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const upperE = 0x45
const backslash = 0x5c
const lowerE = 0x65
const lowerN = 0x6e
const lowerT = 0x74
