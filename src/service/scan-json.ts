import { longestNumber } from '../model/exact-number.ts'
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  nine,
  openBrace,
  openBracket,
  quote,
  zero,
} from './json-bytes.ts'
import { isDigitOrPoint, isLetterEscape, isNumberByte, needsMark, surelyHeld } from './mark-numbers.ts'

/** What one pass over the bytes of a JSON text finds before anything is built from it. */
interface JsonScan {
  /** Arrays and objects inside each other at the deepest point. */
  readonly depth: number
  /** The number of arrays and objects. */
  readonly containers: number
  /** Members of the largest object, among those nested no deeper than 255. */
  readonly largestObject: number
  /** Colons outside strings: members of objects, each counted as often as it is written. */
  readonly members: number
  /** Bytes of the longest name of a member. */
  readonly longestName: number
  /** Whether the name of a member has an escape. */
  readonly hasEscapedName: boolean
  /** Commas outside strings: members and elements that have one before them. */
  readonly commas: number
  /** Whether the text ends before everything opened is closed. */
  readonly isCutOff: boolean
  /** Whether an escape names half of a surrogate pair: only then can a string come out malformed. */
  readonly hasSurrogateEscape: boolean
  /** The number of numbers that a double cannot keep as written. */
  readonly inexactNumbers: number
  /** Whether an escape names a small letter or a colon, which need none. */
  readonly hasLetterEscape: boolean
  /** Whether a number has more characters than one may have. */
  readonly hasEndlessNumber: boolean
}

/** One pass, about a nanosecond a byte: strings have a loop of their own. It does not validate the text. */
export function scanJson(bytes: Buffer): JsonScan {
  let depth = 0
  let deepest = 0
  let containers = 0
  let members = 0
  let commas = 0
  let longestName = 0
  /** Where the last string began, and its length. */
  let stringAt = 0
  let stringLength = 0
  let isEscaped = false
  let hasEscapedName = false
  let largestObject = 0
  /** Members so far of the objects that are open, by depth. */
  const open = new Uint32Array(256)
  let hasSurrogateEscape = false
  let inexactNumbers = 0
  let hasLetterEscape = false
  let hasEndlessNumber = false
  let isInString = false
  const { length } = bytes
  let i = 0
  while (i < length) {
    const byte = bytes[i++]
    if (byte === quote) {
      isInString = true
      isEscaped = false
      stringAt = i
      while (i < length) {
        const inside = bytes[i++]
        if (inside === quote) {
          isInString = false
          stringLength = i - 1 - stringAt
          break
        }
        if (inside === backslash) {
          isEscaped = true
          hasSurrogateEscape ||= isSurrogateEscape(bytes, i)
          hasLetterEscape ||= isLetterEscape(bytes, i)
          i++
        }
      }
    } else if (byte === colon) {
      members++
      hasEscapedName ||= isEscaped
      if (stringLength > longestName) longestName = stringLength
      const own = (open[depth] ?? 0) + 1
      open[depth] = own
      if (own > largestObject) largestObject = own
    } else if (byte === comma) {
      commas++
    } else if (byte === openBrace || byte === openBracket) {
      depth++
      containers++
      open[depth] = 0
      if (depth > deepest) deepest = depth
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--
    } else if (byte !== undefined && byte >= zero && byte <= nine) {
      const start = i - 1
      while (isDigitOrPoint(bytes[i])) i++
      const isPlain = !isNumberByte(bytes[i])
      while (isNumberByte(bytes[i])) i++
      if (isPlain && i - start <= surelyHeld) continue
      if (i - start > longestNumber) hasEndlessNumber = true
      else if (needsMark(bytes, start, i)) inexactNumbers++
    }
  }
  const isCutOff = isInString || depth > 0
  return {
    depth: deepest,
    containers,
    largestObject,
    members,
    longestName,
    commas,
    isCutOff,
    hasEscapedName,
    hasSurrogateEscape,
    hasLetterEscape,
    inexactNumbers,
    hasEndlessNumber,
  }
}

/** Whether `uD8` to `uDF` follows the backslash before `at`. */
function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  const [u, d, digit] = [bytes[at], bytes[at + 1], bytes[at + 2]]
  // 8, 9, a to f.
  return (
    u === 0x75 &&
    (d === 0x64 || d === 0x44) &&
    digit !== undefined &&
    (digit === 0x38 || digit === 0x39 || digit >= 0x41)
  )
}
