// PostgreSQL has no NUL in texts. U+0001 begins an escape for it and for itself, so that the order of texts and what
// they begin with stay the same.

/** A text as it is stored. */
export function encodeText(text: string): string {
  return /[\0\u0001]/.test(text)
    ? text.replaceAll(/[\0\u0001]/g, (character) => (character === '\0' ? '\u0001\u0001' : '\u0001\u0002'))
    : text
}

/** A stored text as it was. */
export function decodeText(stored: string): string {
  if (!stored.includes('\u0001')) return stored
  return stored.replaceAll(/\u0001([\u0001\u0002])/g, (_, code) => (code === '\u0001' ? '\0' : '\u0001'))
}
