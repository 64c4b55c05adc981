import { learnCosts } from './learn-costs.ts'
import { seeded } from './seeded.ts'
import { readWordLists, type WordLists } from './word-lists.ts'
import { nameWriter } from './write-names.ts'

/** Costs are kept in sixths of a bit, one character each. */
const unitsPerBit = 6
const levels = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The text of `src/model/secrets/bigrams.ts`: the same from the same lists. Every other word is left for measuring. */
export function writeTable(): string {
  const lists = halfOf(readWordLists(), 0)
  const costs = learnCosts(lists, namesOf(lists, 1, 100_000))
  return `/*
 * Written by \`npm run learn:bigrams\`, from words of an-array-of-english-words (MIT), @faker-js/faker (MIT) and typescript
 * (Apache-2.0). Costs in sixths of a bit, each as the index of its character in \`levels\`.
 */

export const levels = '${levels}'

/** Of 26 letters each: at the beginning of a word, after \`a\`, after \`b\`, … */
export const letterCosts =
${packed(costs.letters, 26)}

/** Of a separator, a small letter, a capital, a digit and a sign each, after every sequence of three of these kinds. */
export const kindCosts =
${packed(costs.kinds, 25)}
`
}

/** Every other word, from the first or the second on. */
export function halfOf({ words, identifiers }: WordLists, half: 0 | 1): WordLists {
  const every = <T>(list: readonly T[]) => list.filter((_, at) => at % 2 === half)
  return { words: words.map((list) => ({ ...list, words: every(list.words) })), identifiers: every(identifiers) }
}

export function namesOf(lists: WordLists, seed: number, count: number): readonly string[] {
  const write = nameWriter(lists, seeded(seed))
  return Array.from({ length: count }, write)
}

function packed(bits: readonly number[], width: number): string {
  const text = bits.map((each) => levels.charAt(Math.min(levels.length - 1, Math.round(each * unitsPerBit)))).join('')
  const rows = Array.from({ length: Math.ceil(text.length / width) }, (_, at) =>
    text.slice(at * width, (at + 1) * width),
  )
  const perLine = Math.max(1, Math.floor(104 / width))
  const lines = Array.from({ length: Math.ceil(rows.length / perLine) }, (_, at) =>
    rows.slice(at * perLine, (at + 1) * perLine).join(''),
  )
  return `  ${lines.map((line) => `'${line}'`).join(' +\n  ')}`
}
