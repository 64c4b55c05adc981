const tokens =
  /\\Q[\s\S]*?(?:\\E|$)|\\[1-9][0-7]?|\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]|\(\?(?:<?[=!]|>|#)|\(\?[a-zA-Z-]*\)|\((?:\?(?:P?<\w*>|[a-zA-Z-]*:))?|\{\d+(?:,\d*)?\}|[\s\S]/g

/** Longer patterns are not checked: this finds mistakes, and must never take long. */
const longestPattern = 1000

/**
 * Why a pattern surely does not compile in RE2, the syntax of the service's expressions; undefined when nothing is
 * surely wrong. RE2 knows neither lookaround nor references back, which other engines do.
 */
export function regExpFault(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return undefined
  let depth = 0
  let previous: 'nothing' | 'something' | 'quantifier' = 'nothing'
  for (const [token] of pattern.matchAll(tokens)) {
    if (/^\(\?(?:<?[=!]|>|#)$/.test(token)) return `\`${token}\` is not known to RE2`
    if (/^\\[1-9]$/.test(token)) return `\`${token}\` refers back, which RE2 does not know`
    if (token === '\\') return 'it ends in a backslash'
    if (token === '[') return '`[` is not closed'
    if (/^[*+?]$/.test(token)) {
      if (previous === 'nothing') return `\`${token}\` has nothing to repeat`
      // One `?` after a quantifier makes it lazy; `previous` stays, and the next is one too many.
      if (previous === 'quantifier' && token !== '?') return `\`${token}\` repeats a repetition`
      previous = 'quantifier'
    } else if (token.startsWith('{') && token.length > 1) {
      const [least = 0, most = least] = (token.match(/\d+/g) ?? []).map(Number)
      if (Math.max(least, most) > 1000 || least > most) return `\`${token}\` is out of range`
      previous = 'quantifier'
    } else if (token.startsWith('(') && !token.endsWith(')')) {
      depth += 1
      previous = 'nothing'
    } else if (token === ')') {
      if (depth === 0) return '`)` closes nothing'
      depth -= 1
      previous = 'something'
    } else previous = token === '|' ? 'nothing' : 'something'
  }
  return depth > 0 ? '`(` is not closed' : undefined
}
