/**
 * Whether a whole text matches a pattern in which `*` is any text, including none, and `\*` a star. Takes linear time.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  if (!pattern.includes('*')) return text === pattern
  const [first = '', ...rest] = globParts(pattern)
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const index = text.indexOf(part, at)
    if (index < 0) return false
    at = index + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** The texts between the stars that are any text. */
export function globParts(pattern: string): readonly string[] {
  if (!pattern.includes('\\*')) return pattern.split('*')
  return pattern.split(/(?<!\\)\*/).map((part) => part.replaceAll('\\*', '*'))
}

/** The pattern that only this text matches. */
export function globOf(text: string): string {
  return text.replaceAll('*', '\\*')
}
