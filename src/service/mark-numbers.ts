import { escapeText, exactNumber } from '../model/exact-number.ts'
import { backslash, closingQuote, colon, minus, nine, plus, point, quote, skipBlanks, zero } from './json-bytes.ts'

/** Characters that a mark adds to a number, and an escape to a text: the quotes are part of it. */
const markLength = '"number:"'.length
const escapeLength = 'text:'.length

/** Characters of a decimal that a double surely holds, a point among them or not. */
export const surelyHeld = 15

/**
 * The same JSON with each number that no double holds as a marked text, and each text that looks like one escaped. For
 * valid JSON only. `inexactNumbers`: how many there are.
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

/** Whether a number without its sign is none that a double holds. Most are short and need no closer look. */
export function needsMark(bytes: Buffer, start: number, end: number): boolean {
  if (isSurelyHeld(bytes, start, end)) return false
  return typeof exactNumber(bytes.toString('latin1', start, end)) === 'string'
}

/** A double holds every decimal of 15 digits; with an exponent of two digits it lies far from the limits. */
function isSurelyHeld(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte === lowerE || byte === upperE) return i - start <= surelyHeld && end - i <= '+10'.length
  }
  return end - start <= surelyHeld
}

/** What a number may consist of behind its first character. */
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
 * Whether a text may look like a marked number or an escaped text. Asked of every page, so it looks for what few hold:
 * a search that begins with a quote takes three times as long.
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

/** Whether a string begins like a marked number or an escaped text, its letters escaped or not. */
function mayMisleadAt(bytes: Buffer, at: number): boolean {
  const first = bytes[at]
  if (first === lowerN) return mayGoOn(bytes, at + 1, 'umber:')
  if (first === lowerT) return mayGoOn(bytes, at + 1, 'ext:')
  return first === backslash && isLetterEscape(bytes, at + 1)
}

/** Whether these letters follow, or some of them and then one that is an escape. */
function mayGoOn(bytes: Buffer, from: number, letters: string): boolean {
  for (let i = 0; i < letters.length; i++) {
    const byte = bytes[from + i]
    if (byte === backslash) return isLetterEscape(bytes, from + i + 1)
    if (byte !== letters.charCodeAt(i)) return false
  }
  return true
}

/** Whether `u006e` stands at `at`, after the backslash: a small letter, or the colon. */
export function isLetterEscape(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== 0x75 || bytes[at + 1] !== zero || bytes[at + 2] !== zero) return false
  const [third, last] = [bytes[at + 3], (bytes[at + 4] ?? 0) | 0x20]
  // `<` and `>`, which Go escapes, stand beside the colon.
  return third === 0x36 || third === 0x37 || (third === 0x33 && last === 0x61)
}

/** Whether the string that ends here names a member, which is no value. */
function isName(bytes: Buffer, end: number): boolean {
  return bytes[skipBlanks(bytes, end)] === colon
}

/** A literal longer than this is no escaped number, however its letters are written. */
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
