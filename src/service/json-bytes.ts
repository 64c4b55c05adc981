/** The bytes of JSON's own characters, and functions that find the end of its strings before a text is parsed. */
export const quote = 0x22
export const plus = 0x2b
export const comma = 0x2c
export const minus = 0x2d
export const point = 0x2e
export const zero = 0x30
export const nine = 0x39
export const colon = 0x3a
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d

/** The index of the closing quote of the string that begins at `from`; the length of the text if there is none. */
export function closingQuote(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/** The first index from `at` on that is not a blank. */
export function skipBlanks(bytes: Buffer, at: number): number {
  let next = at
  while (isBlank(bytes[next])) next++
  return next
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
