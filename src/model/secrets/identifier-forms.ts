/**
 * The length of an identifier that begins at an index of a text and is neither a name nor a secret: a UUID, a ULID, the
 * digits of a seal, an IPv6 or hardware address. 0 if there is none.
 */
export function identifierLength(text: string, at: number): number {
  const length = lengthOf(text, at)
  return length > 0 && isEnd(text.charCodeAt(at + length)) ? length : 0
}

/** Whether a text is a ULID or a UUID and nothing else. */
export function isUlidOrUuid(text: string): boolean {
  return text.length === 36 ? isUuid(text, 0) : text.length === 26 && isUlid(text, 0)
}

function lengthOf(text: string, at: number): number {
  if (text.charCodeAt(at + 8) === hyphen) return isUuid(text, at) ? 36 : 0
  if (text.charCodeAt(at - 1) === colon && text.startsWith('sealed', at - 7))
    return isAll(text, at, 32, isSmallHex) ? 32 : 0
  const address = addressLength(text, at)
  if (address > 0) return address
  return isUlid(text, at) ? 26 : 0
}

function isUlid(text: string, at: number): boolean {
  const first = text.charCodeAt(at)
  return first >= zero && first <= zero + 7 && isAll(text, at, 26, isCrockford)
}

const hyphen = 0x2d
const colon = 0x3a
const zero = 0x30

function isUuid(text: string, at: number): boolean {
  return (
    [8, 13, 18, 23].every((offset) => text.charCodeAt(at + offset) === hyphen) &&
    [
      [0, 8],
      [9, 4],
      [14, 4],
      [19, 4],
      [24, 12],
    ].every(([from = 0, length = 0]) => isAll(text, at + from, length, isHex))
  )
}

/** Three to eight groups of at most four hexadecimal digits with colons between them. */
function addressLength(text: string, at: number): number {
  let colons = 0
  let digits = 0
  for (let index = at; ; index++) {
    const code = text.charCodeAt(index)
    if (code === colon) {
      colons++
      digits = 0
    } else if (isHex(code)) digits++
    else return colons >= 2 ? index - at : 0
    if (digits > 4 || colons > 7) return 0
  }
}

function isAll(text: string, at: number, length: number, is: (code: number) => boolean): boolean {
  if (at + length > text.length) return false
  for (let index = at; index < at + length; index++) if (!is(text.charCodeAt(index))) return false
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

/** NaN: the end of the text. */
function isEnd(code: number): boolean {
  return !(isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a))
}
