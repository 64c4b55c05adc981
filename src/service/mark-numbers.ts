import { escapeText, exactNumber } from '../model/exact-number.ts'
import { backslash, closingQuote, colon, minus, nine, plus, point, quote, skipBlanks, zero } from './json-bytes.ts'

/** Characters that a mark adds to a number, or an escape to a text, with the quotes. */
const markLength = '"number:"'.length
const escapeLength = 'text:'.length

/** A double keeps every decimal of this many characters, with or without a point. */
export const surelyHeld = 15

/**
 * The same JSON, with each number that a double cannot keep as a marked text, and each text that looks like a marked
 * one escaped. For valid JSON only. `inexactNumbers`: the number of such numbers.
 */
export function markNumbers(bytes: Buffer, inexactNumbers: number): Buffer {
  const room = inexactNumbers * markLength + countMisleading(bytes) * escapeLength
  const out = Buffer.allocUnsafe(bytes.length + room)
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
      i = closingQuote(bytes, i) + 1
      if (isMisleading(bytes, start, i)) put(start + 1, start + 1, 'text:')
    } else if (byte === minus || isDigit(byte)) {
      while (isNumberByte(bytes[i])) i++
      const digits = byte === minus ? start + 1 : start
      if (needsMark(bytes, digits, i)) put(start, i, `"number:${bytes.toString('latin1', start, i)}"`)
    }
  }
  written += bytes.copy(out, written, copied)
  return out.subarray(0, written)
}

/** Whether a double cannot keep a number, given without its sign. The quick check decides most of them. */
export function needsMark(bytes: Buffer, start: number, end: number): boolean {
  if (isSurelyHeld(bytes, start, end)) return false
  return typeof exactNumber(bytes.toString('latin1', start, end)) === 'string'
}

/** A double keeps every decimal of 15 digits; with an exponent of two digits it is far from the limits. */
function isSurelyHeld(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte === lowerE || byte === upperE) return i - start <= surelyHeld && end - i <= '+10'.length
  }
  return end - start <= surelyHeld
}

/** Whether the byte may follow the first character of a number. */
export function isNumberByte(byte: number | undefined): boolean {
  return isDigit(byte) || byte === point || byte === lowerE || byte === upperE || byte === plus || byte === minus
}

export function isDigitOrPoint(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= zero && byte <= nine) || byte === point)
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine
}

/**
 * Whether a text may look like a marked number or an escaped text. This runs on every page, so it searches for what few
 * pages contain: a search that begins with a quote takes three times as long.
 */
export function mayMislead(bytes: Buffer, hasLetterEscape: boolean): boolean {
  if (hasLetterEscape) return true
  for (let at = bytes.indexOf('umber:'); at >= 0; at = bytes.indexOf('umber:', at + 1)) {
    const before = bytes[at - 2]
    if (bytes[at - 1] === lowerN && (before === quote || before === colon)) return true
  }
  return false
}

function countMisleading(bytes: Buffer): number {
  let count = 0
  for (let i = bytes.indexOf(quote); i >= 0; i = bytes.indexOf(quote, i)) {
    const start = i
    i = closingQuote(bytes, i + 1) + 1
    if (isMisleading(bytes, start, i)) count++
  }
  return count
}

/** Whether a string begins like a marked number or an escaped text, with its letters escaped or not. */
function mayMisleadAt(bytes: Buffer, at: number): boolean {
  const first = bytes[at]
  if (first === lowerN) return mayGoOn(bytes, at + 1, 'umber:')
  if (first === lowerT) return mayGoOn(bytes, at + 1, 'ext:')
  return first === backslash && isLetterEscape(bytes, at + 1)
}

/** Whether these letters follow, or some of them and then an escaped one. */
function mayGoOn(bytes: Buffer, from: number, letters: string): boolean {
  for (let i = 0; i < letters.length; i++) {
    const byte = bytes[from + i]
    if (byte === backslash) return isLetterEscape(bytes, from + i + 1)
    if (byte !== letters.charCodeAt(i)) return false
  }
  return true
}

/** Whether `u006e` follows the backslash before `at`: a small letter, or the colon. */
export function isLetterEscape(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== 0x75 || bytes[at + 1] !== zero || bytes[at + 2] !== zero) return false
  const [third, last] = [bytes[at + 3], (bytes[at + 4] ?? 0) | 0x20]
  // Go escapes `<` and `>`, which are next to the colon.
  return third === 0x36 || third === 0x37 || (third === 0x33 && last === 0x61)
}

/** Whether the string that ends here is the name of a member and not a value. */
function isName(bytes: Buffer, end: number): boolean {
  return bytes[skipBlanks(bytes, end)] === colon
}

/** A longer literal is not an escaped number, even with every letter escaped. */
const longestLiteral = 10_000

function isMisleading(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > longestLiteral || !mayMisleadAt(bytes, start + 1) || isName(bytes, end)) return false
  const text: unknown = JSON.parse(bytes.toString('utf8', start, end))
  return typeof text === 'string' && escapeText(text) !== text
}

const upperE = 0x45
const lowerE = 0x65
const lowerN = 0x6e
const lowerT = 0x74
