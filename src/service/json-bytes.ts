/** The bytes of JSON's own characters, and how far its strings reach: for passes over a text before it is parsed. */
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

/** Where the closing quote of a string stands whose first character is at `from`; the end of all where there is none. */
export function closingQuote(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/** The first place at or behind `at` that holds no blank. */
export function skipBlanks(bytes: Buffer, at: number): number {
  let next = at
  while (isBlank(bytes[next])) next++
  return next
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
