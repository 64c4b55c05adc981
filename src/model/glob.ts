/** Whether a whole text matches a pattern in which `*` is any text, including none. Takes linear time. */
export function matchesGlob(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
