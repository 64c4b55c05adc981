/**
 * The length of the identifier that begins at a place of a text and ends with it or before another kind of character:
 * a UUID, a ULID, or a seal (`sealed:` and 32 digits, of which the name may stand before the place). 0 where none does.
 */
export function knownLength(text: string, at: number): number {
  const length = lengthOf(text, at)
  return length > 0 && isEnd(text.charCodeAt(at + length)) ? length : 0
}

function lengthOf(text: string, at: number): number {
  if (text.charCodeAt(at + 8) === hyphen) return isUuid(text, at) ? 36 : 0
  if (text.charCodeAt(at - 1) === colon && text.startsWith('sealed', at - 7))
    return isAll(text, at, 32, isSmallHex) ? 32 : 0
  const first = text.charCodeAt(at)
  return first >= zero && first <= zero + 7 && isAll(text, at, 26, isCrockford) ? 26 : 0
}

const hyphen = 0x2d
const colon = 0x3a
const zero = 0x30

function isUuid(text: string, at: number): boolean {
  return (
    [8, 13, 18, 23].every((place) => text.charCodeAt(at + place) === hyphen) &&
    [
      [0, 8],
      [9, 4],
      [14, 4],
      [19, 4],
      [24, 12],
    ].every(([from = 0, length = 0]) => isAll(text, at + from, length, isHex))
  )
}

function isAll(text: string, at: number, length: number, is: (code: number) => boolean): boolean {
  if (at + length > text.length) return false
  for (let place = at; place < at + length; place++) if (!is(text.charCodeAt(place))) return false
  return true
}

function isSmallHex(code: number): boolean {
  return isDigit(code) || (code >= 0x61 && code <= 0x66)
}

function isHex(code: number): boolean {
  return isSmallHex(code | 0x20) || isDigit(code)
}

/** Digits and capitals without I, L, O and U. */
function isCrockford(code: number): boolean {
  return (
    isDigit(code) || (code >= 0x41 && code <= 0x5a && code !== 0x49 && code !== 0x4c && code !== 0x4f && code !== 0x55)
  )
}

function isDigit(code: number): boolean {
  return code >= zero && code <= zero + 9
}

/** Behind the text there is no code (NaN). */
function isEnd(code: number): boolean {
  return !(isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a))
}
