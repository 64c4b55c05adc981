/** What a pass over the bytes of a JSON text tells before anything is built from it. */
export interface JsonScan {
  /** Arrays and objects inside each other at the deepest point. */
  readonly depth: number
  /** Colons outside strings: members of objects, each counted as often as it is written. */
  readonly members: number
  /** Whether the text ends before what it opened is closed. */
  readonly isCutOff: boolean
  /** Whether an escape names half of a surrogate pair: only then can a string come out malformed. */
  readonly hasSurrogateEscape: boolean
}

/** One pass, about a nanosecond a byte. Says nothing about whether the text is JSON. */
export function scanJson(bytes: Uint8Array): JsonScan {
  let depth = 0
  let deepest = 0
  let members = 0
  let hasSurrogateEscape = false
  let isInString = false
  const { length } = bytes
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]
    if (isInString) {
      if (byte === quote) isInString = false
      else if (byte === backslash) {
        i++
        // \uD800 to \uDFFF
        if (bytes[i] === letterU && (Number(bytes[i + 1]) | 0x20) === letterD)
          hasSurrogateEscape ||= isHalf(bytes[i + 2])
      }
    } else if (byte === quote) isInString = true
    else if (byte === colon) members++
    else if (byte === openBrace || byte === openBracket) {
      depth++
      if (depth > deepest) deepest = depth
    } else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return { depth: deepest, members, isCutOff: isInString || depth > 0, hasSurrogateEscape }
}

/** 8, 9, a to f. */
function isHalf(digit: number | undefined): boolean {
  return digit !== undefined && (digit === 0x38 || digit === 0x39 || digit >= 0x41)
}

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const letterU = 0x75
const letterD = 0x64
