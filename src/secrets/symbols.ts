/** The kind of a character within a word; `none` is between words. */
export const kinds = { separator: 0, lower: 1, upper: 2, digit: 3, sign: 4, none: 5 } as const

/** The kind of each ASCII character. */
export const kindOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if ('-_./~'.includes(character)) return kinds.separator
  if (character >= 'a' && character <= 'z') return kinds.lower
  if (character >= 'A' && character <= 'Z') return kinds.upper
  if (character >= '0' && character <= '9') return kinds.digit
  return code > 32 && code < 127 ? kinds.sign : kinds.none
})

/** The number of kinds in a word. */
export const kindCount = 5
/** The kinds of the three preceding characters, as a number of three octal digits. */
export const histories = 8 ** 3

/** Each part of a word is independent of the parts before its separator; only digits continue (`2026-11-05`). */
export function nextHistory(history: number, kind: number): number {
  if (kind === kinds.separator) return (history & 7) === kinds.digit ? kinds.digit << 3 : 0
  return ((history << 3) | kind) & (histories - 1)
}

/** 1 to 26, in either case; for letters only. */
export function letterOf(code: number): number {
  return code & 31
}

/** The letter that a letter follows; 0 where a word begins, also with a capital after a small letter. */
export function letterBefore(letter: number, kindBefore: number, kind: number): number {
  return kind === kinds.upper && kindBefore === kinds.lower ? 0 : letter
}
