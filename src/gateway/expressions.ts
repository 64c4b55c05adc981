import { RE2JS } from 're2js'

/**
 * Whether a regular expression is found in a text, in time that grows with the text alone. Compiled once.
 * @throws Error when it is none
 */
export function findsPattern(pattern: string, text: string): boolean {
  return compiled(pattern).matcher(text).find()
}

/** Why RE2 does not take a pattern, in its words; undefined when it does. */
export function patternFault(pattern: string): string | undefined {
  try {
    compiled(pattern)
    return undefined
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '')
  }
}

const expressions = new Map<string, RE2JS>()
const maxExpressions = 1000

function compiled(pattern: string): RE2JS {
  const expression = expressions.get(pattern) ?? RE2JS.compile(pattern)
  if (expressions.size >= maxExpressions) expressions.clear()
  expressions.set(pattern, expression)
  return expression
}
