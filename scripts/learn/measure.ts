import { findRandom, isRandomText, scoreOf } from '../../src/model/secrets/random-text.ts'
import { alphabets, lengths, printable, randomWords } from './random-words.ts'
import { seeded } from './seeded.ts'
import { readWordLists } from './word-lists.ts'
import { halfOf, namesOf } from './write-table.ts'

const count = 10_000

/** What share of random words is found, by alphabet and length, and what share of names that were not learnt from. */
export function measure(): string {
  const random = seeded(2)
  const rows = [...Object.entries(alphabets), ['printable', printable] as const].map(([name, alphabet]) => [
    name,
    ...lengths.map((length) => share(randomWords(alphabet, length, count, random), isRandomText)),
    hundredthOf(randomWords(alphabet, 20, count, random).map(scoreOf)),
  ])
  const lists = halfOf(readWordLists(), 1)
  const names = namesOf(lists, 3, 100_000)
  const long = names.filter((name) => name.length >= 20)
  const identifiers = lists.identifiers.filter((name) => name.length >= 16)
  const within = Object.entries(alphabets).map(([name, alphabet]) => [
    name,
    ...lengths.map((length) => {
      const slugs = randomWords(alphabet, length, count, random).map((word) => `orders-${word}`)
      return share(slugs, (slug) => findRandom(slug).length > 0)
    }),
  ])
  return `Random words found (%), ${count} of each, and the score (in sixths of a bit) that 99 % of those of 20 have
${table([['', ...lengths.map(String), 'score'], ...rows])}
The same behind "orders-", by findRandom
${table([['', ...lengths.map(String)], ...within])}
Names taken for random (%), of ${names.length} from words that were not learnt from: ${share(names, isRandomText)}
of 20 characters and more: ${share(long, isRandomText)}; of 16 to 19: ${share(
    names.filter(({ length }) => length >= 16 && length < 20),
    isRandomText,
  )}; identifiers of 16 and more: ${share(identifiers, isRandomText)}
`
}

function share(words: readonly string[], is: (word: string) => boolean): string {
  return ((100 * words.filter(is).length) / words.length).toFixed(2)
}

function hundredthOf(scores: readonly number[]): string {
  return String(scores.toSorted((a, b) => a - b)[Math.floor(scores.length / 100)])
}

function table(rows: readonly (readonly string[])[]): string {
  return rows
    .map(([name = '', ...cells]) => name.padEnd(20) + cells.map((cell) => cell.padStart(8)).join(''))
    .join('\n')
}
