import { scoreOf } from './random-text.ts'

/**
 * Replaces words that mix letters, digits and signs as generators of passwords do: `Ua1[=N-)]<ppA1uka8>`. In a text of
 * people signs are between words and numbers, so the kinds of characters change far more seldom. One pass.
 */
export function replaceMixed(text: string, replace: (word: string) => string): string {
  if (text.length < shortest || !/[!#$%^&*()=+[\]{}|;<>?@]/.test(text)) return text
  const out: string[] = []
  let at = 0
  for (let from = 0; from < text.length; ) {
    const to = endOfWord(text, from)
    if (to - from >= shortest && isMixed(text.slice(from, Math.min(to, from + longest)))) {
      out.push(text.slice(at, from), replace(text.slice(from, to)))
      at = to
    }
    from = to + 1
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

const shortest = 16
/** Less than usual makes a word random that changes so often. */
const leastScoreOfMixed = 62
/** So much of a word decides. */
const longest = 256

function endOfWord(text: string, from: number): number {
  let to = from
  while (to < text.length && text.charCodeAt(to) > 0x20 && text.charCodeAt(to) < 0x7f) to++
  return to
}

function isMixed(written: string): boolean {
  // Classes of regular expressions are made of single characters, too.
  const word = written.replace(/A-Z|a-z|0-9|\\[A-Za-z]|%[0-9A-Fa-f]{2}/g, '')
  if (word.length < shortest || word.includes('sealed:') || isJson(written)) return false
  const signs = new Set<string>()
  let [upper, lower, changes, kindBefore] = [0, 0, 0, '']
  for (const character of word) {
    const kind = kindOf(character)
    if (kind === 'upper') upper++
    else if (kind === 'lower') lower++
    else if (kind === 'sign') signs.add(character)
    if (kind !== kindBefore) changes++
    kindBefore = kind
  }
  if (signs.size < 3 || upper < 2 || lower < 2) return false
  return changes >= word.length * 0.42 && scoreOf(word) >= leastScoreOfMixed
}

function kindOf(character: string): 'upper' | 'lower' | 'digit' | 'sign' {
  if (character >= 'a' && character <= 'z') return 'lower'
  if (character >= 'A' && character <= 'Z') return 'upper'
  return character >= '0' && character <= '9' ? 'digit' : 'sign'
}

function isJson(word: string): boolean {
  if (!/^[[{"]/.test(word)) return false
  try {
    JSON.parse(word)
    return true
  } catch {
    return false
  }
}
