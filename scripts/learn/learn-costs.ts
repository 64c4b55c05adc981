import { histories, kindCount, kindOf, kinds, letterOf, nextHistory } from '../../src/model/secrets/random-text.ts'
import type { WordLists } from './word-lists.ts'

export interface Costs {
  /** Bits for each of 26 letters behind the beginning of a word, behind `a`, behind `b`, … */
  readonly letters: readonly number[]
  /** Bits for each kind of character, behind each row of three kinds. */
  readonly kinds: readonly number[]
}

export function learnCosts(lists: WordLists, names: readonly string[]): Costs {
  return { letters: learnLetters(lists.words), kinds: learnKinds(names) }
}

function learnLetters(lists: WordLists['words']): readonly number[] {
  const counts = new Float64Array(27 * 26)
  for (const { words, weight: most } of lists) {
    const ofList = countLetters(words)
    // A short list says little about its language.
    const weight = (most * Math.min(1, words.length / 1500)) / sumOf(ofList)
    ofList.forEach((count, place) => {
      counts[place] = (counts[place] ?? 0) + count * weight
    })
  }
  // No pair is impossible.
  const least = sumOf(counts) * 2e-6
  return Array.from(counts, (count, place) => {
    const row = place - (place % 26)
    return -Math.log2((count + least) / (sumOf(counts.subarray(row, row + 26)) + 26 * least))
  })
}

function countLetters(words: readonly string[]): Float64Array {
  const counts = new Float64Array(27 * 26)
  for (const word of words) {
    let before = 0
    for (let at = 0; at < word.length; at++) {
      const letter = letterOf(word.charCodeAt(at))
      const place = before * 26 + letter - 1
      counts[place] = (counts[place] ?? 0) + 1
      before = letter
    }
  }
  return counts
}

/** A rare predecessor says little about a character: there, fewer of the kinds before it count. */
function learnKinds(names: readonly string[]): readonly number[] {
  const counts = countKinds(names)
  let likelihoods: readonly number[] = Array.from({ length: kindCount }, () => 1 / kindCount)
  for (let before = 0; before <= 3; before++) {
    const nearer = likelihoods
    const seen = new Float64Array(kindCount ** (before + 1))
    counts.forEach((count, place) => {
      seen[place % seen.length] = (seen[place % seen.length] ?? 0) + count
    })
    likelihoods = Array.from(seen, (count, place) => {
      const row = place - (place % kindCount)
      const total = sumOf(seen.subarray(row, row + kindCount))
      return (count + doubt * (nearer[place % nearer.length] ?? 0)) / (total + doubt)
    })
  }
  return likelihoods.map((likelihood) => -Math.log2(likelihood))
}

/** So many characters weigh as much as what is known with fewer kinds before them. */
const doubt = 500

function countKinds(names: readonly string[]): Float64Array {
  const counts = new Float64Array(kindCount ** 4)
  for (const name of names) {
    let history = 0
    for (let at = 0; at < name.length; at++) {
      const kind = kindOf[name.charCodeAt(at)] ?? kinds.none
      if (kind === kinds.none) throw new Error(`A name with a character that is in none: ${name}`)
      const place = inFives(history) * kindCount + kind
      counts[place] = (counts[place] ?? 0) + 1
      history = nextHistory(history, kind)
    }
  }
  return counts
}

/** From octal digits to digits of base five: the table has no holes. */
function inFives(history: number): number {
  if (history >= histories) throw new Error('A history of more than three kinds')
  return (history >> 6) * 25 + ((history >> 3) & 7) * 5 + (history & 7)
}

function sumOf(numbers: Float64Array): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
