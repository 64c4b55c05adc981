import { z } from 'zod'

const maxCharacters = 200

/**
 * A regular expression in a policy. Checked when the policy is read: that it compiles, and that it cannot take
 * exponential time (a repeated group that holds a repetition or an alternative, a reference back). That refuses some
 * harmless ones as well; a linear-time engine would let the check go.
 */
export const pattern = z
  .string()
  .min(1)
  .max(maxCharacters)
  .refine(compiles, { error: 'is no regular expression', abort: true })
  .refine((text) => !mayExplode(text), {
    error: 'may take exponential time: repeats a group that holds a repetition or an alternative, such as (a+)+',
  })

const known = new Map<string, RegExp>()

/** Compiled once for every pattern that a policy names. */
export function matches(source: string, text: string): boolean {
  const compiled = known.get(source) ?? new RegExp(source, 'u')
  known.set(source, compiled)
  return compiled.test(text)
}

function compiles(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

function mayExplode(source: string): boolean {
  // Escapes and classes repeat nothing: as plain letters they do not get in the way.
  const bare = source
    .replace(/\\[pP]\{[^}]*\}/g, 'x')
    .replace(/\\[1-9k]/g, '\u0000')
    .replace(/\\./g, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
  if (bare.includes('\u0000')) return true
  const groups: boolean[] = []
  for (let at = 0; at < bare.length; at++) {
    const character = bare[at]
    const within = groups.length - 1
    if (character === '(') {
      groups.push(false)
      // `(?:`, `(?=`: the mark after the bracket is no repetition.
      if (bare[at + 1] === '?') at++
    } else if (character === ')') {
      const isRisky = groups.pop() === true
      if (isRisky && isRepetition(bare[at + 1])) return true
      if (isRisky && groups.length > 0) groups[groups.length - 1] = true
    } else if (within >= 0 && (character === '|' || isRepetition(character) || character === '?')) {
      groups[within] = true
    }
  }
  return false
}

function isRepetition(character: string | undefined): boolean {
  return character === '*' || character === '+' || character === '{'
}
